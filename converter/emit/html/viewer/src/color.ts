// SPDX-License-Identifier: Apache-2.0
// Colours of frames, by what they belong to or by how they differ from the base.

import {packageOf} from './data/packages';
import type {Profile} from './data/profile';
import {baseName} from './format';
import {oklch} from './oklch';

/** Hues of groups, largest group first; neighbours differ clearly. */
const kHues = [250, 155, 300, 195, 95, 340, 225, 125, 275, 175, 320];
const kKernelHue = 55;
/** Styles of one theme: grey, the kernel, strong hues, the same hues paler. */
const kGrey = 0;
const kKernel = 1;
const kFirstHue = 2;
/** Steps of a difference: from all gone (0) over equal to all new (last). */
export const kSteps = 13;

export interface CanvasTheme {
  readonly isDark: boolean;
  readonly background: string;
  readonly text: string;
  readonly muted: string;
  readonly line: string;
  readonly accent: string;
  readonly match: string;
  readonly matchText: string;
  readonly groups: readonly string[];
  readonly differences: readonly string[];
  /** Of a heat map, from little to much. */
  readonly heat: readonly string[];
}

function groupStyles(isDark: boolean): string[] {
  const color = (chroma: number, hue: number): string =>
    oklch(isDark ? 0.43 : 0.87, chroma, hue);
  return [
    oklch(isDark ? 0.36 : 0.9, 0.005, 250),
    color(0.085, kKernelHue),
    ...kHues.map((hue) => color(0.08, hue)),
    ...kHues.map((hue) => color(0.03, hue)),
  ];
}

function differenceStyles(isDark: boolean): string[] {
  const middle = (kSteps - 1) / 2;
  return Array.from({length: kSteps}, (_, step) => {
    const strength = Math.abs(step - middle) / middle;
    const hue = step < middle ? 245 : 30;
    const chroma = 0.135 * strength;
    const light = isDark ? 0.38 + 0.06 * strength : 0.93 - 0.17 * strength;
    return oklch(light, chroma, hue);
  });
}

const kHeatLevels = 24;

function heatStyles(isDark: boolean): string[] {
  return Array.from({length: kHeatLevels}, (_, level) => {
    const t = level / (kHeatLevels - 1);
    const light = isDark ? 0.33 + 0.47 * t : 0.9 - 0.5 * t;
    return oklch(light, 0.05 + 0.1 * t, 265 - 15 * t);
  });
}

function themeOf(isDark: boolean): CanvasTheme {
  return {
    isDark,
    background: isDark ? '#15181d' : '#ffffff',
    text: isDark ? '#eef1f5' : '#14181f',
    muted: isDark ? '#a3adba' : '#566070',
    line: isDark ? '#2c323b' : '#dfe3e9',
    accent: isDark ? '#79b0ff' : '#0b57d0',
    match: oklch(isDark ? 0.78 : 0.83, 0.16, 85),
    matchText: '#14181f',
    groups: groupStyles(isDark),
    differences: differenceStyles(isDark),
    heat: heatStyles(isDark),
  };
}

export const kLight = themeOf(false);
export const kDark = themeOf(true);

/** What functions are coloured by: a style for each function, and a legend. */
export interface Grouping {
  /** Index into CanvasTheme.groups, for each function. */
  readonly style: Uint8Array;
  readonly legend: readonly {readonly name: string; readonly style: number}[];
}

const kMaxLegend = 9;

/** Groups functions by DSO or package. `weight` is each function's own value. */
export function groupFunctions(profile: Profile, by: 'dso' | 'package',
                               weight: Float64Array): Grouping {
  const {functions} = profile;
  const weights = new Map<string, number>();
  const names: string[] = new Array<string>(functions.count);
  const kernelGroups = new Set<string>();
  for (let i = 0; i < functions.count; i++) {
    const isKernel = profile.dsos.isKernel(functions.dso[i]!);
    const name = i === functions.other ? '' : groupName(profile, i, by);
    names[i] = name;
    if (isKernel) kernelGroups.add(name);
    weights.set(name, (weights.get(name) ?? 0) + weight[i]!);
  }
  const ranked = [...weights].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  const styles = new Map<string, number>();
  let next = 0;
  for (const [name] of ranked) styles.set(name, styleOf(name, kernelGroups, () => next++));
  return {
    style: Uint8Array.from(names, (name) => styles.get(name)!),
    legend: ranked.filter(([name]) => name !== '').slice(0, kMaxLegend)
        .map(([name]) => ({name, style: styles.get(name)!})),
  };
}

function groupName(profile: Profile, func: number, by: 'dso' | 'package'): string {
  const dso = baseName(profile.dsos.name(profile.functions.dso[func]!));
  if (by === 'dso' || profile.functions.isPlaceholder(func)) return dso;
  return packageOf(profile.functions.name(func)) || dso;
}

function styleOf(name: string, kernelGroups: ReadonlySet<string>, next: () => number): number {
  if (name === '') return kGrey;
  if (kernelGroups.has(name)) return kKernel;
  const rank = next();
  return rank < kHues.length ? kFirstHue + rank :
      kFirstHue + kHues.length + (rank % kHues.length);
}

/** The step of a share beside that of the base, from 0 to kSteps - 1. */
export function differenceStep(share: number, base: number): number {
  const larger = Math.max(share, base);
  if (larger <= 0) return (kSteps - 1) / 2;
  const ratio = (share - base) / larger;
  return Math.round(((Math.sign(ratio) * Math.sqrt(Math.abs(ratio)) + 1) / 2) * (kSteps - 1));
}
