/** The values of a form by the names of its fields. */
export type Values = Readonly<Record<string, string>>;

/** Returns the trimmed values of a form. */
export const getFormValues = (form: HTMLFormElement): Record<string, string> =>
  Object.fromEntries([...new FormData(form)].map(([name, value]) => [name, String(value).trim()]));

/** Returns the values of numbered groups of fields: `state-0` is the `state` of the first group. */
export const groupValues = (values: Values): readonly Values[] => {
  const groups: Values[] = [];
  for (const [name, value] of Object.entries(values)) {
    const [, field, at] = /^(.+)-(\d+)$/.exec(name) ?? [];
    if (field) groups[Number(at)] = { ...groups[Number(at)], [field]: value };
  }
  return groups;
};

/** Returns the words of a text that are separated by commas, semicolons or spaces. */
export const splitList = (text = ''): string[] => text.split(/[\s,;]+/).filter(Boolean);
