/** Differences of a state's law for a sale from another state (decision 0029). */
import type { Dated } from './effective.ts';
import type { Evidence, Jurisdiction } from './release-values.ts';

/** The elections of remote sellers: Alabama's flat tax and Texas' single local rate. */
export const remoteElections = ['simplified_sellers_use_tax', 'single_local_use_tax'] as const;
export type RemoteElection = (typeof remoteElections)[number];

/**
 * A rate that a remote seller may elect: instead of the local taxes (`local`), or of all taxes of the state (`all`).
 * Every rate of an election has its own first day. It ends on the last day for which the state has published it.
 */
export type ElectedRate = Dated &
  Evidence & {
    readonly policy: 'election';
    readonly election: RemoteElection;
    readonly replaces: 'local' | 'all';
    /** Its code is in no location of the release, so that it taxes only sales of sellers with the election. */
    readonly jurisdiction: Jurisdiction;
    /** A fraction as a decimal string (`"0.0175"`). */
    readonly rate: string;
    readonly from: string;
  };

/**
 * The local tax of a remote sale without an election. `none`: no local tax is owed. `may_differ`: the local rates of the
 * release are for sales within the state, and `note` says how the rates for remote sales differ.
 */
export type RemoteLocalTax = Dated &
  Evidence & { readonly policy: 'none' | 'may_differ'; readonly from: string; readonly note: string };

export type RemoteSaleTerms = ElectedRate | RemoteLocalTax;
