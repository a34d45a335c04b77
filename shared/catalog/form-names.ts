/** The names of the state forms that Levy has a worksheet for, by state. */
export const formNames = {
  'US-AZ': 'AZ-TPT-2',
  'US-CA': 'CA-CDTFA-401',
  'US-CO': 'CO-DR-0100',
  'US-FL': 'FL-DR-15',
  'US-IL': 'IL-ST-1',
  'US-MA': 'MA-ST-9',
  'US-NY': 'NY-ST-100',
  'US-PA': 'PA-3',
  'US-TX': 'TX-01-114',
  'US-VA': 'VA-ST-1',
} as const;

export type FormName = (typeof formNames)[keyof typeof formNames];

/** Returns the name of a state's form, or `null` if Levy has no layout for it. `state` is a jurisdiction code. */
export const findFormName = (state: string): FormName | null =>
  (formNames as Readonly<Record<string, FormName>>)[state] ?? null;
