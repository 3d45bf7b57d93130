// SPDX-License-Identifier: Apache-2.0
// The page: makes the views, and says which of them a change concerns.

import {kDark, kLight, type CanvasTheme} from './color';
import type {Samples} from './data/profile';
import {el} from './dom';
import {FlameView} from './flame/flame';
import {handleKeys} from './keys';
import type {Model} from './model';
import {preparePrint} from './print';
import type {Changed, State, Store} from './state/store';
import {TimelineView} from './timeline/timeline';
import {HeaderView} from './views/header';
import {makeHelp} from './views/help';
import {LegendView} from './views/legend';
import {TableView} from './views/table';
import {Toolbar} from './views/toolbar';
import {TreeView} from './views/tree';

const kSelection: readonly (keyof State)[] = ['event', 'metric', 'time', 'threads', 'cpus'];
const kShape: readonly (keyof State)[] = ['shape', 'focus', 'merge'];

export class App {
  readonly flame: FlameView;
  private readonly header: HeaderView;
  private readonly timeline: TimelineView;
  private readonly toolbar: Toolbar;
  private readonly legend = new LegendView();
  private readonly table: TableView;
  private readonly tree: TreeView;
  private paper: CanvasTheme | null = null;
  private readonly scheme = matchMedia('(prefers-color-scheme: dark)');

  constructor(private readonly model: Model, private readonly store: Store, root: HTMLElement) {
    const help = makeHelp();
    this.header = new HeaderView(model, store, () => help.showModal());
    this.timeline = new TimelineView(model, store);
    this.toolbar = new Toolbar(model, store);
    this.flame = new FlameView(model, store);
    this.table = new TableView(model, store);
    this.tree = new TreeView(model, store);
    const hasTimes = model.profile.meta.recording.time.bins > 0;
    root.replaceChildren(
        this.header.element, ...(hasTimes ? [this.timeline.element] : []),
        el('main', {}, this.tree.element,
           el('div', {class: 'content'}, this.toolbar.element, this.flame.element,
              this.table.element, this.legend.element)),
        help);
    this.scheme.addEventListener('change', () => this.applyTheme());
    preparePrint(model, store, root, this);
    handleKeys(store, this.toolbar, help);
    store.subscribe((state, changed) => this.changed(state, changed));
  }

  /** Shows what the profile alone suffices for. */
  start(): void {
    this.model.recompute(this.store.state, null);
    this.setTheme();
    this.showTab();
    this.header.update();
    this.toolbar.update();
    this.flame.update(true);
    this.updateRest(null);
  }

  /** The samples are there: the time line, the threads, and any selection a link carries. */
  setSamples(samples: Samples): void {
    this.model.setSamples(samples);
    this.model.recompute(this.store.state, null);
    this.timeline.setSamples(samples);
    this.tree.setSamples(samples);
    this.header.update();
    this.toolbar.update();
    this.flame.update(false);
    this.updateRest(null);
  }

  setPaper(theme: CanvasTheme | null): void {
    this.paper = theme;
    this.flame.element.hidden = theme === null && this.store.state.tab === 'functions';
    this.flame.showAllRows(theme !== null);
    this.applyTheme();
  }

  private changed(state: State, changed: Changed): void {
    const start = performance.now();
    const has = (keys: readonly (keyof State)[]): boolean => keys.some((key) => changed.has(key));
    this.model.recompute(state, changed);
    if (changed.has('theme')) this.setTheme();
    if (changed.has('tab')) this.showTab();
    this.header.update();
    this.toolbar.update();
    this.timeline.update(changed);
    if (has(kSelection)) this.tree.update(changed);
    this.flame.update(has(kShape));
    this.updateRest(changed);
    if (has(kSelection)) this.model.lastRecomputeMs = performance.now() - start;
  }

  private updateRest(changed: Changed | null): void {
    const {state} = this.store;
    if (state.tab === 'functions') this.table.update();
    if (changed === null || ['color', 'theme', 'tab', 'event', 'metric'].some(
        (key) => changed.has(key as keyof State))) {
      this.legend.update(this.model, state, this.theme());
    }
  }

  private showTab(): void {
    const {tab} = this.store.state;
    document.documentElement.dataset['tab'] = tab;
    this.flame.element.hidden = tab === 'functions';
    this.table.element.hidden = tab !== 'functions';
  }

  private theme(): CanvasTheme {
    if (this.paper !== null) return this.paper;
    const {theme} = this.store.state;
    return theme === 'dark' || (theme === 'auto' && this.scheme.matches) ? kDark : kLight;
  }

  private setTheme(): void {
    const theme = this.theme();
    document.documentElement.dataset['theme'] = theme.isDark ? 'dark' : 'light';
    this.flame.setTheme(theme);
    this.timeline.setTheme(theme);
  }

  private applyTheme(): void {
    this.setTheme();
    this.flame.update(false);
    this.timeline.update(new Set());
    this.legend.update(this.model, this.store.state, this.theme());
  }
}
