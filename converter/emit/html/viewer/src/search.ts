// SPDX-License-Identifier: Apache-2.0
// Search of functions by regular expression.

import type {Functions} from './data/profile';
import type {Shape} from './data/shape';

export interface Matches {
  /** A flag for each function. */
  readonly flags: Uint8Array;
  readonly count: number;
}

/**
 * The functions whose names match. Ignores case unless the pattern has a capital letter.
 * A string says why a pattern is none.
 */
export function findFunctions(pattern: string, functions: Functions): Matches | string {
  let expression: RegExp;
  try {
    expression = new RegExp(pattern, /\p{Lu}/u.test(pattern.replace(/\\./g, '')) ? 'u' : 'iu');
  } catch {
    try {
      expression = new RegExp(pattern, 'i');
    } catch (error) {
      return error instanceof Error ? error.message : String(error);
    }
  }
  const flags = new Uint8Array(functions.count);
  let count = 0;
  for (let i = 0; i < functions.count; i++) {
    if (expression.test(functions.name(i))) {
      flags[i] = 1;
      count++;
    }
  }
  return {flags, count};
}

/** The sum of all samples with a match in their stack, each counted once. */
export function matchedTotal(shape: Shape, total: Float64Array, flags: Uint8Array): number {
  const {parent, func, count} = shape;
  const isCovered = new Uint8Array(count);
  let sum = 0;
  for (let i = 1; i < count; i++) {
    if (isCovered[parent[i]!] !== 0) {
      isCovered[i] = 1;
    } else if (flags[func[i]!] !== 0) {
      isCovered[i] = 1;
      sum += total[i]!;
    }
  }
  return sum;
}
