// The rest of the longer text without the common prefix and suffix.
const lengthDifferent = (left: string, right: string): number => {
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start++;
  let end = 0;
  while (end < shorter - start && left.at(-1 - end) === right.at(-1 - end)) end++;
  return Math.max(left.length, right.length) - start - end;
};

/**
 * Find the known code that a mistyped one most likely means, if there is one.
 *
 * It corrects one typo (a letter inserted, deleted, replaced or swapped) in one pass over each candidate: a request may
 * contain thousands of wrong codes, and edit distances would cost more than the calculation.
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
