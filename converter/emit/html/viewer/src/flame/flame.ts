// SPDX-License-Identifier: Apache-2.0
// The flame graph: a canvas that shows the rows in sight, an overlay for the frames
// pointed at and chosen, a tooltip and a line about the chosen frame.

import type {CanvasTheme} from '../color';
import {frameText, rootLabel} from '../describe';
import {el, oncePerFrame, prepareCanvas, setText} from '../dom';
import type {Model} from '../model';
import type {Store} from '../state/store';
import {Tooltip} from '../views/tooltip';
import {FrameActions} from './actions';
import {moveInGraph} from './keys';
import {kNarrow, Layout} from './layout';
import {kFont, kRowHeight, outline, paint} from './paint';
import {PixelRows} from './pixels';
import {TextFitter} from './text';

const kMaxPrintedRows = 80;

export class FlameView {
  readonly element: HTMLElement;
  private readonly canvas = el('canvas', {attributes: {'aria-hidden': 'true'}});
  private readonly overlay = el('canvas', {class: 'overlay', attributes: {'aria-hidden': 'true'}});
  private readonly space = el('div', {class: 'space'});
  private readonly message = el('p', {class: 'empty'});
  private readonly scroller: HTMLElement;
  private readonly tooltip = new Tooltip();
  private readonly actions: FrameActions;
  private readonly pixels = new PixelRows();
  private layout: Layout | null = null;
  private fitter: TextFitter | null = null;
  theme!: CanvasTheme;
  private width = 0;
  private height = 0;
  private wasFlame = false;
  private hovered = -1;
  /** The chosen node of the shape. */
  private active = 0;
  private readonly redrawSoon = oncePerFrame(() => this.draw());

  constructor(private readonly model: Model, private readonly store: Store) {
    this.actions = new FrameActions(model, store);
    this.scroller = el('div', {
      class: 'flame-scroll',
      attributes: {
        tabindex: '0', role: 'application', 'aria-roledescription': 'flame graph',
        'aria-label': 'Flame graph. Arrow keys move between frames, Enter zooms, Escape shows ' +
            'all, c shows callers, e what a function calls.',
        'aria-describedby': 'frame-line',
      },
      on: {
        scroll: this.redrawSoon,
        pointermove: (event) => this.point(event),
        pointerleave: () => this.leave(),
        click: (event) => this.click(event),
        contextmenu: (event) => this.openMenu(event),
        keydown: (event) => this.key(event),
        focus: () => this.drawOverlay(),
        blur: () => this.drawOverlay(),
      },
    }, el('div', {class: 'pane'}, this.canvas, this.overlay), this.space);
    this.element = el('section', {class: 'flame', attributes: {'aria-label': 'Flame graph'}},
                      this.scroller, this.message, this.actions.bar, this.tooltip.element);
    new ResizeObserver(() => this.resize()).observe(this.scroller);
  }

  setTheme(theme: CanvasTheme): void {
    this.theme = theme;
  }

  /** Lays out and draws after a change of the model or the state. */
  update(isOtherShape: boolean): void {
    const {state} = this.store;
    if (isOtherShape || state.zoom !== 0) this.active = state.zoom;
    if (this.active >= this.model.shape.count) this.active = 0;
    this.measure();
    this.relayout();
    const isFlame = state.orientation === 'flame';
    if (isFlame && (isOtherShape || !this.wasFlame)) this.scroller.scrollTop = 1e9;
    this.wasFlame = isFlame;
    this.draw();
    this.actions.show(this.active);
  }

  /** Makes the graph as high as its rows, or as the window again. */
  showAllRows(isOn: boolean): void {
    const rows = Math.min(kMaxPrintedRows, this.layout?.rows ?? 0);
    this.scroller.style.flex = isOn ? 'none' : '';
    this.scroller.style.height = isOn ? `${rows * kRowHeight + 2}px` : '';
  }

  /** Boxes in sight, as last drawn. */
  boxes = 0;

  private measure(): void {
    this.width = this.scroller.clientWidth;
    this.height = this.scroller.clientHeight;
  }

  private resize(): void {
    if (this.scroller.clientWidth === this.width && this.scroller.clientHeight === this.height) return;
    const fromBottom = this.scroller.scrollHeight - this.scroller.scrollTop - this.height;
    this.measure();
    if (this.layout === null) return;
    this.relayout();
    if (this.store.state.orientation === 'flame') {
      this.scroller.scrollTop = this.scroller.scrollHeight - this.height - fromBottom;
    }
    this.draw();
  }

  private zoomNode(): number {
    const {zoom} = this.store.state;
    return zoom < this.model.shape.count ? zoom : 0;
  }

  private relayout(): void {
    const {shape, values} = this.model;
    const zoom = this.zoomNode();
    this.layout = new Layout(shape, values.total, zoom, this.width);
    this.space.style.height = `${this.layout.rows * kRowHeight}px`;
    this.message.hidden = values.total[zoom]! > 0;
    setText(this.message, zoom === 0 ? 'No samples are selected.' :
        'The frame that fills the width has no samples in this selection. Escape shows all.');
  }

  private top(row: number): number {
    const offset = -this.scroller.scrollTop;
    if (this.store.state.orientation === 'icicle') return row * kRowHeight + offset;
    const content = Math.max(this.layout!.rows * kRowHeight, this.height);
    return content - (row + 1) * kRowHeight + offset;
  }

  private draw(): void {
    if (this.layout === null || this.width === 0) return;
    const context = prepareCanvas(this.canvas, this.width, this.height);
    context.font = kFont;
    this.fitter ??= new TextFitter(context);
    this.boxes = paint({
      context, layout: this.layout, model: this.model, state: this.store.state,
      theme: this.theme, fitter: this.fitter, boxes: this.pixels, top: (row) => this.top(row), height: this.height,
      ratio: this.canvas.width / this.width,
      rootLabel: rootLabel(this.model, this.store.state),
    });
    this.drawOverlay();
  }

  private drawOverlay(): void {
    const layout = this.layout;
    if (layout === null || this.width === 0) return;
    const context = prepareCanvas(this.overlay, this.width, this.height);
    const active = this.active > 0 || document.activeElement === this.scroller ?
        layout.indexOf(this.active) : -1;
    if (active >= 0) {
      const y = this.top(this.model.shape.depth[this.active]!);
      outline(context, layout, active, y, this.theme.accent, 2.5);
    }
    if (this.hovered >= 0) {
      const node = layout.nodeAt(this.hovered);
      const row = node === kNarrow ? -1 : this.model.shape.depth[node]!;
      if (row >= 0) outline(context, layout, this.hovered, this.top(row), this.theme.text, 1);
    }
  }

  /** The rectangle under the pointer, or -1. */
  private pointed(event: MouseEvent): number {
    const box = this.scroller.getBoundingClientRect();
    const y = event.clientY - box.top - this.scroller.clientTop;
    const first = this.top(0);
    const row = this.store.state.orientation === 'icicle' ?
        Math.floor((y - first) / kRowHeight) : Math.floor((first + kRowHeight - y) / kRowHeight);
    return this.layout!.find(row, event.clientX - box.left - this.scroller.clientLeft);
  }

  private point(event: PointerEvent): void {
    if (this.layout === null) return;
    const found = this.pointed(event);
    if (found !== this.hovered) {
      this.hovered = found;
      this.drawOverlay();
    }
    if (found < 0) {
      this.tooltip.hide();
      return;
    }
    const node = this.layout.nodeAt(found);
    this.tooltip.show(event, node === kNarrow ?
        {name: 'frames too narrow to draw', place: '', values: 'zoom in to see them'} :
        frameText(this.model, this.store.state, node));
  }

  private leave(): void {
    this.hovered = -1;
    this.tooltip.hide();
    this.drawOverlay();
  }

  private click(event: MouseEvent): void {
    if (this.layout === null) return;
    const found = this.pointed(event);
    if (found < 0) return;
    const node = this.layout.nodeAt(found);
    if (node !== kNarrow) this.zoomTo(node);
  }

  private zoomTo(node: number): void {
    this.activate(node);
    this.store.update({zoom: node});
  }

  private activate(node: number): void {
    this.active = node;
    this.actions.show(node);
    const row = this.model.shape.depth[node]!;
    const y = this.top(row);
    if (y < 0) this.scroller.scrollTop += y;
    else if (y + kRowHeight > this.height) this.scroller.scrollTop += y + kRowHeight - this.height;
    this.drawOverlay();
  }

  private openMenu(event: MouseEvent): void {
    event.preventDefault();
    this.tooltip.hide();
    if (this.layout === null) return;
    const found = this.pointed(event);
    if (found >= 0 && this.layout.nodeAt(found) !== kNarrow) this.activate(this.layout.nodeAt(found));
    this.actions.openMenu(this.active, event.clientX, event.clientY, this.scroller);
  }

  private key(event: KeyboardEvent): void {
    if (this.layout === null || event.ctrlKey || event.metaKey || event.altKey) return;
    const {state} = this.store;
    const {shape} = this.model;
    const isMenu = event.key === 'ContextMenu' || (event.key === 'F10' && event.shiftKey);
    const moved = moveInGraph(event.key, this.active, this.layout, shape, state.orientation);
    if (moved !== null) this.activate(moved);
    else if (isMenu) this.openMenuAtActive();
    else if (event.key === 'Enter' || event.key === ' ') this.zoomTo(this.active);
    else if (event.key === 'Escape' && state.zoom !== 0) this.store.update({zoom: 0});
    else if (event.key === 'Backspace') this.zoomTo(Math.max(0, shape.parent[this.zoomNode()]!));
    else if (event.key === 'c') this.actions.focus('callers', this.active);
    else if (event.key === 'e') this.actions.focus('callees', this.active);
    else return;
    this.tooltip.hide();
    event.preventDefault();
    event.stopPropagation();
  }

  private openMenuAtActive(): void {
    const index = this.layout!.indexOf(this.active);
    const box = this.scroller.getBoundingClientRect();
    const x = box.left + Math.max(0, index < 0 ? 0 : this.layout!.left(index));
    const y = box.top + this.top(this.model.shape.depth[this.active]!) + kRowHeight;
    this.actions.openMenu(this.active, x, y, this.scroller);
  }
}
