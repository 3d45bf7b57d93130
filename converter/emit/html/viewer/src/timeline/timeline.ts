// SPDX-License-Identifier: Apache-2.0
// The time line: an overview and a row for each thread or CPU. Dragging selects a time,
// a row's name selects the row.

import type {CanvasTheme} from '../color';
import type {Samples} from '../data/profile';
import {el, oncePerFrame, prepareCanvas} from '../dom';
import {amount, moment} from '../format';
import {flagsOf, type Model} from '../model';
import type {Changed, State, Store} from '../state/store';
import {Tooltip} from '../views/tooltip';
import {TimelineBar} from './bar';
import {addGroup, columnsFor, scan, type Columns, type Scan} from './heat';
import {
  kHeadHeight, kTimelineRow, paintAxis, paintLife, paintOverview, paintRow, xOf, type Plot,
} from './paint';
import {makeRows, type Row} from './rows';
import {keyPatch, zoomed} from './span';

const kWideLabels = 180;
const kNarrowLabels = 92;
/** A press that moves less than this is a click. */
const kDragDistance = 3;
const kScanKeys: readonly (keyof State)[] =
  ['event', 'metric', 'timeZoom', 'threads', 'cpus', 'rows'];

export class TimelineView {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', {attributes: {'aria-hidden': 'true'}});
  private readonly overlay = el('canvas', {class: 'overlay', attributes: {'aria-hidden': 'true'}});
  private readonly space = el('div', {class: 'space'});
  private readonly scroller: HTMLElement;
  private readonly tooltip = new Tooltip();
  private readonly bar: TimelineBar;
  private theme!: CanvasTheme;
  private samples: Samples | null = null;
  private rows: Row[] = [];
  private scanned: Scan | null = null;
  private activeRow = -1;
  private width = 0;
  private height = 0;
  private drag: {readonly x: number; readonly bin: number; isMoved: boolean} | null = null;
  private pendingTime: readonly [number, number] | null = null;
  private readonly redrawSoon = oncePerFrame(() => this.draw());
  private readonly brushSoon = oncePerFrame(() => {
    if (this.pendingTime !== null) this.store.update({time: this.pendingTime});
    this.pendingTime = null;
  });

  constructor(private readonly model: Model, private readonly store: Store) {
    this.bar = new TimelineBar(store, this.binNs);
    this.scroller = el('div', {
      class: 'timeline-scroll',
      attributes: {
        tabindex: '0', role: 'application', 'aria-roledescription': 'time line',
        'aria-label': 'Time line. Left and right arrow move the selected time, with Shift they ' +
            'widen it; up and down choose a row, Enter shows that row alone; plus and minus ' +
            'zoom, Escape selects all.',
        'aria-describedby': 'time-line',
      },
      on: {
        scroll: this.redrawSoon,
        pointerdown: (event) => this.press(event),
        pointermove: (event) => this.move(event),
        pointerup: (event) => this.release(event),
        pointerleave: () => this.tooltip.hide(),
        dblclick: () => this.store.update({time: null}),
        wheel: (event) => this.wheel(event),
        keydown: (event) => this.key(event),
      },
    }, el('div', {class: 'pane'}, this.canvas, this.overlay), this.space);
    this.element = el('section', {class: 'timeline', attributes: {'aria-label': 'Time line'}},
                      this.bar.element, this.scroller, this.tooltip.element);
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  setTheme(theme: CanvasTheme): void {
    this.theme = theme;
  }

  setSamples(samples: Samples): void {
    this.samples = samples;
    this.update(null);
  }

  update(changed: Changed | null): void {
    const {samples} = this;
    if (samples === null || this.bins === 0) return;
    const {state} = this.store;
    if (changed === null || changed.has('event') || changed.has('metric') || changed.has('rows')) {
      this.rows = makeRows(this.model.profile, samples, state);
      this.activeRow = -1;
      this.space.style.height = `${kHeadHeight + this.rows.length * kTimelineRow}px`;
    }
    if (changed === null || kScanKeys.some((key) => changed.has(key))) this.scanned = null;
    this.bar.update();
    this.draw();
  }

  private get bins(): number {
    return this.model.profile.meta.recording.time.bins;
  }

  private get binNs(): number {
    return this.model.profile.meta.recording.time.binNs;
  }

  private resize(): void {
    if (this.scroller.clientWidth === this.width && this.scroller.clientHeight === this.height) return;
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
    this.scanned = null;
    this.draw();
  }

  private get left(): number {
    return this.width < 700 ? kNarrowLabels : kWideLabels;
  }

  private columns(): Columns {
    const [first, last] = this.store.state.timeZoom ?? [0, this.bins];
    return columnsFor(first, last, this.width - this.left);
  }

  private draw(): void {
    const {samples, width, height} = this;
    if (samples === null || width === 0 || this.bins === 0) return;
    const {state} = this.store;
    const columns = this.columns();
    this.scanned ??= scan(samples.entries, state.event, state.metric, columns,
                          flagsOf(state.threads, samples.threads.length),
                          flagsOf(state.cpus, this.cpuRows), this.cpuRows);
    const plot: Plot = {
      context: prepareCanvas(this.canvas, width, height), theme: this.theme, columns,
      binNs: this.binNs, left: this.left, width, height,
    };
    paintAxis(plot);
    paintOverview(plot, this.scanned.all, this.scanned.most);
    this.drawRows(plot, samples, this.scanned);
    this.drawSelection(plot);
  }

  private get cpuRows(): number {
    return this.model.profile.meta.recording.cpus.length + 1;
  }

  private drawRows(plot: Plot, samples: Samples, scanned: Scan): void {
    const {state} = this.store;
    const {context, columns} = plot;
    const isThreads = state.rows === 'threads';
    const selected = new Set(isThreads ? state.threads : state.cpus);
    const cells = new Float64Array(columns.count);
    context.save();
    context.beginPath();
    context.rect(0, kHeadHeight - 1, plot.width, plot.height);
    context.clip();
    for (const [i, row] of this.rows.entries()) {
      const y = this.rowTop(i);
      if (y < kHeadHeight - kTimelineRow || y > plot.height) continue;
      const isDimmed = selected.size > 0 && !selected.has(row.key);
      if (isThreads) {
        cells.fill(0);
        addGroup(samples.entries, row.group, state.metric, columns, null, cells);
        paintLife(plot, samples.threads[row.key]!, y);
      }
      const at = row.key * columns.count;
      paintRow(plot, row.label, y, isDimmed,
               isThreads ? cells : scanned.byCpu.subarray(at, at + columns.count),
               isThreads ? scanned.mostOfThread : scanned.mostOfCpu);
    }
    context.restore();
  }

  private rowTop(index: number): number {
    return kHeadHeight + index * kTimelineRow - this.scroller.scrollTop;
  }

  private drawSelection(plot: Plot): void {
    const {theme, left, width, height} = plot;
    const context = prepareCanvas(this.overlay, width, height);
    const {time} = this.store.state;
    if (this.activeRow >= 0 && this.rowTop(this.activeRow) >= kHeadHeight - kTimelineRow) {
      context.strokeStyle = theme.accent;
      context.lineWidth = 2;
      context.strokeRect(1, this.rowTop(this.activeRow), width - 2, kTimelineRow);
    }
    if (time === null) return;
    const from = Math.max(left, Math.min(width, xOf(plot, time[0])));
    const to = Math.max(left, Math.min(width, xOf(plot, time[1])));
    context.fillStyle = theme.isDark ? 'rgba(0, 0, 0, 0.5)' : 'rgba(255, 255, 255, 0.62)';
    context.fillRect(left, 0, from - left, height);
    context.fillRect(to, 0, width - to, height);
    context.fillStyle = theme.accent;
    context.fillRect(from - 1, 0, 2, height);
    context.fillRect(to - 1, 0, 2, height);
  }

  private binAt(x: number): number {
    const [first, last] = this.store.state.timeZoom ?? [0, this.bins];
    const share = (x - this.left) / Math.max(1, this.width - this.left);
    return Math.max(first, Math.min(last, first + share * (last - first)));
  }

  private place(event: MouseEvent): {x: number; y: number} {
    const box = this.scroller.getBoundingClientRect();
    return {x: event.clientX - box.left, y: event.clientY - box.top};
  }

  private rowAt(y: number): number {
    if (y < kHeadHeight) return -1;
    const row = Math.floor((y - kHeadHeight + this.scroller.scrollTop) / kTimelineRow);
    return row < this.rows.length ? row : -1;
  }

  private press(event: PointerEvent): void {
    const {x, y} = this.place(event);
    if (event.button !== 0 || x > this.scroller.clientWidth || this.bins === 0) return;
    if (x < this.left) {
      this.toggleRow(this.rowAt(y), event.ctrlKey || event.metaKey);
      return;
    }
    this.scroller.setPointerCapture(event.pointerId);
    this.drag = {x, bin: this.binAt(x), isMoved: false};
  }

  private move(event: PointerEvent): void {
    const {x, y} = this.place(event);
    if (this.drag === null) {
      this.pointAt(event, x, y);
      return;
    }
    if (Math.abs(x - this.drag.x) >= kDragDistance) this.drag.isMoved = true;
    if (!this.drag.isMoved) return;
    this.tooltip.hide();
    const bin = this.binAt(x);
    const from = Math.floor(Math.min(bin, this.drag.bin));
    const to = Math.min(this.bins, Math.max(from + 1, Math.ceil(Math.max(bin, this.drag.bin))));
    this.pendingTime = [from, to];
    this.brushSoon();
  }

  private release(event: PointerEvent): void {
    const wasClick = this.drag !== null && !this.drag.isMoved;
    this.drag = null;
    if (!wasClick) return;
    const row = this.rowAt(this.place(event).y);
    if (row >= 0) this.activeRow = row;
    this.draw();
  }

  private pointAt(event: PointerEvent, x: number, y: number): void {
    const row = this.rows[this.rowAt(y)];
    const {samples, scanned} = this;
    if (row === undefined || samples === null || scanned === null || x < this.left) {
      this.tooltip.hide();
      return;
    }
    const {state} = this.store;
    const columns = this.columns();
    const column = Math.min(columns.count - 1,
                            Math.floor((this.binAt(x) - columns.first) / columns.step));
    const cells = new Float64Array(columns.count);
    if (row.group >= 0) addGroup(samples.entries, row.group, state.metric, columns, null, cells);
    const value = row.group >= 0 ? cells[column]! : scanned.byCpu[row.key * columns.count + column]!;
    const from = columns.first + column * columns.step;
    const unit = state.metric === 'samples' ? 'samples' : this.model.eventOf(state).name;
    this.tooltip.show(event, {
      name: row.label,
      values: `${amount(value, this.model.eventOf(state), state.metric)} ${unit}`,
      place: `${moment(from * this.binNs)} to ${moment(Math.min(this.bins, from + columns.step) * this.binNs)}`,
    });
  }

  /** Selects a row alone, or adds it to or removes it from the selection. */
  private toggleRow(index: number, isAdded: boolean): void {
    const row = this.rows[index];
    if (row === undefined) return;
    this.activeRow = index;
    const key = this.store.state.rows === 'threads' ? 'threads' : 'cpus';
    const before = this.store.state[key] ?? [];
    const rest = before.filter((value) => value !== row.key);
    const isOn = rest.length < before.length;
    const next = isAdded ? [...rest, ...(isOn ? [] : [row.key])] :
        isOn && before.length === 1 ? [] : [row.key];
    this.store.update({[key]: next.length === 0 ? null : next.sort((a, b) => a - b)});
  }

  private wheel(event: WheelEvent): void {
    if (!event.ctrlKey && !event.metaKey) return;
    event.preventDefault();
    const around = this.binAt(this.place(event).x);
    const factor = event.deltaY > 0 ? 1.3 : 1 / 1.3;
    this.store.update({timeZoom: zoomed(this.store.state.timeZoom, this.bins, around, factor)});
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey || this.bins === 0) return;
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
    if (step !== 0) {
      this.chooseRow(Math.max(0, Math.min(this.rows.length - 1, this.activeRow + step)));
    } else if (event.key === 'Enter' || event.key === ' ') {
      this.toggleRow(this.activeRow, event.key === ' ');
    } else {
      const patch = keyPatch(event.key, event.shiftKey, this.store.state, this.bins);
      if (patch === null) return;
      this.store.update(patch);
    }
    event.preventDefault();
    event.stopPropagation();
  }

  private chooseRow(index: number): void {
    this.activeRow = index;
    const y = this.rowTop(index);
    if (y < kHeadHeight) this.scroller.scrollTop += y - kHeadHeight;
    else if (y + kTimelineRow > this.height) this.scroller.scrollTop += y + kTimelineRow - this.height;
    this.bar.sayRow(this.rows[index]?.label ?? '');
    this.draw();
  }
}
