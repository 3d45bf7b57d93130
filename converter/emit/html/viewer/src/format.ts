// SPDX-License-Identifier: Apache-2.0
// Numbers as text.

import type {EventMeta, Metric} from './data/profile';

const kGrouped = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const kThousands = ['', ' k', ' M', ' G', ' T', ' P', ' E'];

export function grouped(value: number): string {
  return kGrouped.format(value);
}

/** Three significant digits and a suffix, such as 1.23 M. */
function scaled(value: number, suffixes: readonly string[], base = 1000): string {
  let rest = Math.abs(value);
  let i = 0;
  while (rest >= base * 0.9995 && i + 1 < suffixes.length) {
    rest /= base;
    i++;
  }
  const digits = i === 0 && Number.isInteger(rest) ? 0 : rest >= 100 ? 0 : rest >= 10 ? 1 : 2;
  return `${value < 0 ? '−' : ''}${rest.toFixed(digits)}${suffixes[i]!}`;
}

/** A duration of nanoseconds. */
export function duration(ns: number): string {
  return Math.abs(ns) < 999.5e6 ? scaled(ns, [' ns', ' µs', ' ms']) :
      `${ns < 0 ? '−' : ''}${(Math.abs(ns) / 1e9).toFixed(Math.abs(ns) < 100e9 ? 2 : 1)} s`;
}

/** A place on the time line, in seconds since its start. */
export function moment(ns: number): string {
  return `${(ns / 1e9).toFixed(2)} s`;
}

/** A sum of samples or periods in their unit. */
export function amount(value: number, event: EventMeta, metric: Metric): string {
  if (metric === 'samples') return grouped(value);
  if (event.unit === 'nanoseconds') return duration(value);
  if (event.unit === 'bytes') return scaled(value, [' B', ' KiB', ' MiB', ' GiB', ' TiB'], 1024);
  return scaled(value, kThousands);
}

export function percent(value: number, total: number): string {
  if (total <= 0) return '–';
  const share = (value / total) * 100;
  if (share !== 0 && Math.abs(share) < 0.005) return '<0.01 %';
  return `${share.toFixed(2)} %`;
}

/** A difference of shares, in percentage points. */
export function points(difference: number): string {
  const value = difference * 100;
  if (Math.abs(value) < 0.005) return '0.00';
  return `${value > 0 ? '+' : '−'}${Math.abs(value).toFixed(2)}`;
}

/** The last part of a path; names in brackets stay whole. */
export function baseName(path: string): string {
  return path.startsWith('[') ? path : path.slice(path.lastIndexOf('/') + 1) || path;
}

/** A moment as nanoseconds since 1970 (decimal), in UTC. */
export function wallTime(ns: string): string {
  const date = new Date(Number(BigInt(ns) / 1_000_000n));
  return Number.isNaN(date.getTime()) ? '' : `${date.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
}
