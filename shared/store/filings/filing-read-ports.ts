import type { FilingReadPorts } from '../../filings/ports.ts';
import { filingReads } from './filing-reads.ts';

/** What the use cases that read filings need, on DynamoDB. */
export const filingReadPorts: FilingReadPorts = { filings: filingReads };
