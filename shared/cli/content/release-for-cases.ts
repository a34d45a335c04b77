import type { ReleaseFor } from '../../content/content.ts';
import { readAddress } from '../../content/location/address.ts';
import type { Release } from '../../content/release.ts';
import { stateOfJurisdiction } from '../../jurisdiction.ts';
import { loadContent } from '../../store/content/load-content.ts';
import type { Case } from './cases.ts';
import { addressOf } from './run-case.ts';

/** What the cases need of one release, active or not: loaded as the API loads what a transaction has pinned. */
export const releaseForCases = (head: Release, cases: readonly Case[]): Promise<ReleaseFor> => {
  const addresses = cases
    .map((one) => readAddress(addressOf(one), ''))
    .flatMap((read) => (read.ok && read.value.state === stateOfJurisdiction(head.state) ? [read.value] : []));
  return loadContent(addresses, { [head.state]: head.id });
};
