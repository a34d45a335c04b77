// Returns how much of the longer string remains after removing the common prefix and suffix.
const lengthDifferent = (left: string, right: string): number => {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return Math.max(left.length, right.length) - start - end;
};

/**
 * Finds the known code that a mistyped code most likely means, if any.
 *
 * It corrects one typo (a letter inserted, deleted, replaced or swapped) in one pass over each candidate. A request may
 * contain thousands of invalid codes, and computing edit distances would cost more than the calculation.
 */
export const closest = (text: string, candidates: Iterable<string>, differentMax = 3): string | undefined => {
  let best: string | undefined;
  let bestDifferent = Math.min(differentMax, Math.floor(text.length / 2)) + 1;
  for (const candidate of candidates) {
    if (Math.abs(candidate.length - text.length) >= bestDifferent) continue;
    const different = lengthDifferent(text, candidate);
    if (different < bestDifferent) {
      best = candidate;
      bestDifferent = different;
    }
  }
  return best;
};
