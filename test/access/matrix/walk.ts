import diagnostics from 'node:diagnostics_channel';
import type { FastifyInstance, RouteOptions } from 'fastify';
import type { App } from '../../../api/types.ts';
import { newId } from '../../../shared/ids.ts';
import type { Method as Asked } from '../../support/client/client.ts';
import { withoutRequestId } from '../../support/team.ts';
import type { Caller } from './callers.ts';
import type { PlaceKey } from './canaries.ts';
import type { Place } from './place.ts';
import type { Cell, Row, Values } from './row.ts';
import { CALLERS, type CallerName, expectedOf } from './table.ts';
import { HOLDER, type Listener } from './told.ts';
import type { World } from './world.ts';

/**
 * Collects every route that is registered with an app which `build` makes, hidden ones too, as method and path.
 * The app is asked itself, from before its first route on, because a list of them could leave one out.
 */
export async function collectRoutes<T>(build: () => Promise<T>): Promise<{ built: T; routes: string[] }> {
  const routes = new Set<string>();
  const listen = (message: unknown) => {
    (message as { fastify: FastifyInstance }).fastify.addHook('onRoute', (route: RouteOptions) => {
      for (const method of [route.method].flat()) routes.add(`${method} ${route.url}`);
    });
  };
  diagnostics.subscribe('fastify.initialization', listen);
  try {
    return { built: await build(), routes: [...routes] };
  } finally {
    diagnostics.unsubscribe('fastify.initialization', listen);
  }
}

/** The name of a row. */
export const titleOf = (row: Row) => (row.about === undefined ? row.route : `${row.route} (${row.about})`);

export const methodOf = (row: Row) => row.route.slice(0, row.route.indexOf(' ')) as Method;

type Method = Asked | 'HEAD' | 'OPTIONS';

/** The values of a row that are ids: those in the path, and those that the row names. */
const idsOf = (row: Row) => [
  // A version is a number, which is the same for all.
  ...[...row.route.matchAll(/:(?!version\b)(\w+)/g)].map(([, name = '']) => name),
  ...(row.ids ?? []),
];
/** Whether there is an id in the request, in whose place another could be sent. */
export const takesIds = (row: Row) => idsOf(row).length > 0;

/** What was answered to a request, and who heard it. */
interface Heard {
  row: string;
  listener: Listener;
  outcome: string;
  body: string;
  /** Headers and body, and of a list every page. */
  text: string;
}

/** An id of elsewhere that was sent in the place of a right one, and what came of it. */
export interface Elsewhere {
  caller: CallerName;
  id: string;
  outcome: string;
  body: string;
}

const CONTENT = /"contentBase64":"([^"]*)"/g;
/** Files in an answer, as text. */
const contentsIn = (body: string) =>
  [...body.matchAll(CONTENT)].map(([, content = '']) => Buffer.from(content, 'base64').toString()).join('\n');

const ISSUED = /(?:"token":"|#token=)([\w-]{43}|tm_pat_\w{51})"/g;

/** What requests of a row are about, in each place. */
type SharedValues = Map<PlaceKey, Values>;

/** Goes through rows as everyone, and keeps all that is answered. */
export class Walk {
  readonly heard: Heard[] = [];
  /** Tokens that were given out: by themselves, or as links. */
  readonly issued = new Set<string>();
  private readonly world: World;

  constructor(world: World) {
    this.world = world;
  }

  /**
   * What each caller gets: status and code. A GET is asked as a HEAD too by one caller for each answer, and must not answer
   * otherwise.
   */
  ask(row: Row): Promise<{ outcomes: Record<string, string>; heads: Record<string, string> }> {
    return row.adds ? this.world.keepMembers(() => this.askAll(row)) : this.askAll(row);
  }

  private async askAll(row: Row): ReturnType<Walk['ask']> {
    const outcomes: Record<string, string> = {};
    const heads: Record<string, string> = {};
    const expected = expectedOf(row);
    const isUnchanged = (name: CallerName) => methodOf(row) === 'GET' || expected[name] !== String(row.ok);
    const shared: SharedValues = new Map();
    for (const name of CALLERS) {
      const cell = await this.cell(row, name);
      const values = await this.values(row, cell, isUnchanged(name) ? shared : undefined);
      outcomes[name] = (await this.send(row, cell, values)).outcome;
      const isFirst = CALLERS.find((first) => expected[first] === expected[name]) === name;
      if (methodOf(row) === 'GET' && isFirst)
        heads[name] = (await this.send(row, cell, values, 'HEAD')).outcome;
    }
    return { outcomes, heads };
  }

  /** What callers who may use the route get for each id that is out of their reach, unknown or none at all. */
  async askElsewhere(row: Row): Promise<Elsewhere[]> {
    const found: Elsewhere[] = [];
    const expected = expectedOf(row);
    // Once for all callers: it is nobody's own, and a request that changed it would fail the test.
    const elsewhere = new Map<PlaceKey, Promise<Values>>();
    const foreignAt = (at: Place, cell: Cell) => {
      const known = elsewhere.get(at.key) ?? this.values(row, { ...cell, at, foreign: true });
      elsewhere.set(at.key, known);
      return known;
    };
    const shared: SharedValues = new Map();
    for (const name of CALLERS) {
      // Of an archived Team too: what is not there comes before the state of the Team.
      if (expected[name] !== String(row.ok) && expected[name] !== '409 team_archived') continue;
      const cell = await this.cell(row, name);
      const values = await this.values(row, cell, shared);
      const foreign = await Promise.all(this.outOfReach(row, cell.caller).map((at) => foreignAt(at, cell)));
      for (const id of idsOf(row)) {
        const wrong = foreign.map((other) => other[id] ?? '');
        // What is nowhere is the same for all.
        if (found.every((other) => other.id !== id)) wrong.push(newId(), 'nonsense');
        for (const value of wrong) {
          const { outcome, body } = await this.send(row, cell, { ...values, [id]: value });
          found.push({ caller: name, id, outcome, body: withoutRequestId(body) });
        }
      }
    }
    return found;
  }

  /** The requests of a row that these callers send, all about the same where it is nobody's own. */
  async requestsOf(
    row: Row,
    names: readonly CallerName[],
  ): Promise<{ caller: CallerName; request: Request }[]> {
    const shared: SharedValues = new Map();
    return Array.fromAsync(names, async (name) => {
      const cell = await this.cell(row, name);
      return { caller: name, request: requestOf(row, await this.values(row, cell, shared), cell) };
    });
  }

  private async cell(row: Row, name: CallerName): Promise<Cell> {
    const { world } = this;
    const caller = row.fresh ? await world.newCaller(name) : world.caller(name);
    return { caller, at: caller.at, foreign: false, targets: world.targets, canaries: world.canaries };
  }

  /**
   * Makes what a request is about.
   * @param shared what was made in each place before, for requests that leave it as it is. Rows that ask for the
   *   caller get something of their own
   */
  private async values(row: Row, cell: Cell, shared?: SharedValues): Promise<Values> {
    const known = shared?.get(cell.at.key);
    if (known !== undefined) return known;
    let isOwn = false;
    const watched: Cell = {
      ...cell,
      get caller() {
        isOwn = true;
        return cell.caller;
      },
    };
    const made = (await row.values?.(watched)) ?? {};
    if (!isOwn) shared?.set(cell.at.key, made);
    return made;
  }

  /** Where things are that the caller has nothing to do with, though it may use the route. */
  private outOfReach({ route, ofCompany }: Row, { home }: Caller): Place[] {
    const { t, u, v } = this.world.places;
    const otherCompany = home === v ? t : v;
    if (ofCompany || route.includes(' /v1/company')) return [otherCompany];
    // What is one user's own is out of reach in any Team.
    return route.includes(' /v1/auth') ? [home, otherCompany] : [u, otherCompany];
  }

  private async send(row: Row, cell: Cell, values: Values, method = methodOf(row)): Promise<Heard> {
    const request = { ...requestOf(row, values, cell), method };
    const answer = await this.world.app.inject(request);
    const repeated = row.repeats?.(values);
    const body = repeated === undefined ? answer.body : answer.body.replaceAll(repeated, '');
    let text = `${JSON.stringify(answer.headers)}\n${body}\n${contentsIn(body)}`;
    for (let cursor = nextCursor(answer); cursor !== null; ) {
      const page = await this.world.app.inject({ ...request, url: `${request.url}&cursor=${cursor}` });
      text += `\n${page.body}`;
      cursor = nextCursor(page);
    }
    const { statusCode } = answer;
    for (const [, token = ''] of body.matchAll(ISSUED)) this.issued.add(token);
    const code = isProblem(answer) ? ` ${answer.json<{ code: string }>().code}` : '';
    const listener: Listener = row.secret ? HOLDER : cell.caller.name;
    const heard: Heard = { row: titleOf(row), listener, outcome: `${statusCode}${code}`, body, text };
    this.heard.push(heard);
    return heard;
  }
}

type Answer = Awaited<ReturnType<App['inject']>>;
const hasType = ({ headers, body }: Answer, type: string) =>
  body !== '' && String(headers['content-type']).startsWith(type);
const isProblem = (answer: Answer) => hasType(answer, 'application/problem+json');

/** The cursor of the next page; null if the list ends, or if the answer is not a list. */
function nextCursor(answer: Answer): string | null {
  if (!hasType(answer, 'application/json')) return null;
  return answer.json<{ nextCursor?: string | null }>().nextCursor ?? null;
}

/** A request as the app takes it. */
export interface Request {
  method: Method;
  url: string;
  headers: Record<string, string>;
  payload?: object;
}

/** The request of a row with these values. */
export function requestOf(row: Row, values: Values, cell: Cell): Request {
  const payload = row.body?.(values, cell);
  return {
    method: methodOf(row),
    url: urlOf(row, values),
    headers: cell.caller.headers,
    ...(payload === undefined ? {} : { payload }),
  };
}

function urlOf(row: Row, values: Values): string {
  const path = row.route
    .slice(row.route.indexOf(' ') + 1)
    .replace(/:(\w+)/g, (_match, name: string) => values[name] ?? '')
    .replace('*', values['*'] ?? '');
  const query = row.query?.(values);
  return query === undefined ? path : `${path}?${query}`;
}
