/** The ids of line items: as sent, else `line_1`, `line_2`, … by position, never one that another line was sent with. */
export const lineIds = (lines: readonly { readonly id?: string | null | undefined }[]): string[] => {
  const taken = new Set(lines.flatMap(({ id }) => id ?? []));
  return lines.map(({ id }, index) => {
    if (id) return id;
    let made = `line_${index + 1}`;
    while (taken.has(made)) made = `${made}_`;
    taken.add(made);
    return made;
  });
};
