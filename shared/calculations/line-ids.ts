/**
 * The ids of line items: as sent, otherwise `line_1`, `line_2`, … by position. A generated id never equals one that was sent
 * or one of `others`: a credit's line must not match a line of its sale by a generated id.
 */
export const lineIds = (
  lines: readonly { readonly id?: string | null | undefined }[],
  others: readonly string[] = [],
): string[] => {
  const taken = new Set(others);
  for (const { id } of lines) if (id) taken.add(id);
  return lines.map(({ id }, index) => {
    if (id) return id;
    let made = `line_${index + 1}`;
    while (taken.has(made)) made = `${made}_`;
    taken.add(made);
    return made;
  });
};
