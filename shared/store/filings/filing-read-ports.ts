import type { FilingReadPorts } from '../../filings/ports.ts';
import { filingReads } from './filing-reads.ts';

/** The ports of the use cases that read filings. */
export const filingReadPorts: FilingReadPorts = { filings: filingReads };
