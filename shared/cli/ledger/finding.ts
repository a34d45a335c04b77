/** What is looked at of a transaction, in the order of the report. */
export const checks = ['head', 'chain', 'states', 'totals', 'credits', 'claims', 'entries', 'filings'] as const;
export type Check = (typeof checks)[number];

/** Something that is not as it should be: which transaction or filing, what of it, how it is, and how it should be. */
export type Finding = {
  /** Of the transaction, or of the filing. */
  readonly id: string;
  readonly check: Check;
  readonly what: string;
  readonly is: string;
  readonly should_be: string;
};

/** A finding whose transaction or filing is known by then. */
export type Fault = Omit<Finding, 'id' | 'check'>;

const textOf = (value: unknown): string =>
  value === undefined || value === null ? 'none' : typeof value === 'string' ? value : JSON.stringify(value);

/** The fault that a value is not the one that it should be; nothing where it is. */
export const differing = (what: string, is: unknown, shouldBe: unknown): Fault[] => {
  const [one, other] = [textOf(is), textOf(shouldBe)];
  return one === other ? [] : [{ what, is: one, should_be: other }];
};

export const findingText = ({ id, check, what, is, should_be }: Finding): string =>
  `${id}  ${check}: ${what} is ${is}, should be ${should_be}`;
