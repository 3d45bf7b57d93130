// SPDX-License-Identifier: Apache-2.0
// Elements. Strings become text nodes or attributes, never markup.

type Child = Node | string;
type Handlers = {readonly [K in keyof HTMLElementEventMap]?: (event: HTMLElementEventMap[K]) => void};

interface Options {
  readonly class?: string;
  readonly on?: Handlers;
  readonly attributes?: Readonly<Record<string, string>>;
}

/** Creates an element. */
export function el<K extends keyof HTMLElementTagNameMap>(
    tag: K, options: Options = {}, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (options.class !== undefined) element.className = options.class;
  for (const [name, value] of Object.entries(options.attributes ?? {})) {
    element.setAttribute(name, value);
  }
  for (const [type, handler] of Object.entries(options.on ?? {})) {
    element.addEventListener(type, handler as EventListener);
  }
  element.append(...children);
  return element;
}

/** A button that says what it does. `title` also names its key. */
export function button(label: string, title: string, click: () => void, name = ''): HTMLButtonElement {
  return el('button', {class: name, on: {click}, attributes: {type: 'button', title}}, label);
}

/** Sets the text unless it is there already: an equal text would be announced again. */
export function setText(element: HTMLElement, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Runs `task` once before the next frame, however often it is asked for. */
export function oncePerFrame(task: () => void): () => void {
  let isPending = false;
  return () => {
    if (isPending) return;
    isPending = true;
    requestAnimationFrame(() => {
      isPending = false;
      task();
    });
  };
}

/**
 * Sizes a canvas for the screen's resolution and returns its context, scaled so that one
 * unit is one CSS pixel. The canvas is cleared.
 */
export function prepareCanvas(canvas: HTMLCanvasElement, width: number,
                              height: number): CanvasRenderingContext2D {
  const ratio = window.devicePixelRatio || 1;
  const pixelWidth = Math.max(1, Math.round(width * ratio));
  const pixelHeight = Math.max(1, Math.round(height * ratio));
  if (canvas.width !== pixelWidth || canvas.height !== pixelHeight) {
    canvas.width = pixelWidth;
    canvas.height = pixelHeight;
    canvas.style.width = `${width}px`;
    canvas.style.height = `${height}px`;
  }
  const context = canvas.getContext('2d')!;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}
