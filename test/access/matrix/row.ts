import type { AccessChange } from '../../support/access-changes.ts';
import type { Caller } from './callers.ts';
import type { Canaries } from './canaries.ts';
import type { Place } from './place.ts';
import type { Targets } from './targets.ts';

/** Ids and other values of a request, by the names of path parameters and of whatever its body takes. */
export type Values = Readonly<Record<string, string>>;

/** For whom a request is made, and where what it is about has to lie. */
export interface Cell {
  caller: Caller;
  at: Place;
  /** Whether that is out of the caller's reach: then what would be the caller's own is someone else's. */
  foreign: boolean;
  targets: Targets;
  canaries: Canaries;
}

/** A request that is made of a route: what it is about, and what it gets. */
export interface Row {
  /** Method and path, as registered. */
  route: string;
  /** What sets it apart from the other rows of the route. */
  about?: string;
  /** The line of the table that says what each caller gets. */
  kind: string;
  /** The status of success. */
  ok: number;
  /** Makes what the request is about, and returns the path's values and the body's. */
  values?: (cell: Cell) => Promise<Values>;
  query?: (values: Values) => string;
  body?: (values: Values, cell: Cell) => object;
  /** Names of further values that are ids, in the query or the body. */
  ids?: readonly string[];
  /** What ids of elsewhere get from those who may use the route. */
  elsewhere?: string;
  /** Owners can reach every Team of their Company with this route, although it is not below /v1/company. */
  ofCompany?: true;
  /** What an answer repeats of the request: it tells its caller nothing. */
  repeats?: (values: Values) => string;
  /** The refusals that depend on the body, and what comes before them: a body that cannot be read, or any invalid field too. */
  refusalByBody?: { refusal: string | readonly string[]; after: 'reading' | 'checks' };
  /** Only reads, whatever its method, so that nothing is rechecked after the guards. */
  reads?: true;
  /**
   * What a caller gets who loses access while the request waits, by what happened, if that is not what the table says of
   * those without that access. Null if there is nothing to refuse then.
   */
  late?: Partial<Record<AccessChange, string | null>>;
  /** Asked by someone new each time, whom the request leaves signed out or otherwise changed. */
  fresh?: true;
  /** People of elsewhere are members or invited afterwards. That is taken back, so that later answers list only whom they should. */
  adds?: true;
  /** Answered to the secret in the body, and not to the session that is sent along. */
  secret?: true;
}
