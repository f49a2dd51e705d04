import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { JOBS, PAGES, type PageInfo } from './pages.tsx';
import { send } from './request.ts';
import { ROOT } from './root.ts';
import { NotFound, PageFailed, Root } from './shell/root-page.tsx';

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
  interface StaticDataRouteOption {
    /** Without it, what is at the address is shown to everyone, signed in or not. */
    page?: PageInfo;
  }
}

/** A parameter of an address, if it is a text. */
const textOf = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);

const root = createRootRoute({
  component: Root,
  notFoundComponent: NotFound,
  validateSearch: (search): { team?: string } => {
    const team = textOf(search['team']);
    return team === undefined ? {} : { team };
  },
  search: { middlewares: [retainSearchParams(['team'])] },
});

type Load = () => Promise<{ default: ComponentType }>;

/**
 * Why a script was not loaded. If the service answers, it was updated: the router loads the console again. Without an answer
 * that would leave nothing on the screen.
 */
async function notLoaded(error: unknown): Promise<never> {
  await send(null, 'checkLiveness', []);
  throw error;
}

/** The words of a text. */
type Words<Text extends string> = Text extends `${infer Word} ${infer Rest}` ? Word | Words<Rest> : Text;

/** The page that an address belongs to: that of a record belongs to the page of such records. */
const pageOf = (path: string) => PAGES.find((page) => page.path === `/${path.split('/')[1]}`);

/**
 * What is at an address.
 * @param filters the parameters of the address, with blanks between them: filters, the tab, what is open
 */
const page = <const Path extends string, const Filters extends string = never>(
  path: Path,
  load: Load,
  filters?: Filters,
  info = pageOf(path),
) =>
  createRoute({
    getParentRoute: () => root,
    path,
    staticData: info === undefined ? {} : { page: info },
    component: lazyRouteComponent(() => load().catch(notLoaded)),
    validateSearch: (search: Record<string, unknown>) =>
      Object.fromEntries((filters?.split(' ') ?? []).map((name) => [name, textOf(search[name])])) as {
        [Filter in Words<Filters>]?: string | undefined;
      },
  });

const link: Load = () => import('../links/link-page.tsx');

const routeTree = root.addChildren([
  page('/join', link),
  page('/accept', link),
  page('/reset', link),
  page('/', () => import('../pages/home/home.tsx')),
  page('/search', () => import('../pages/search/search.tsx'), 'q in with kind tag year from to top open'),
  page('/sources', () => import('../pages/sources/sources.tsx'), 'q kind tag clientId state sort order new'),
  page('/memories', () => import('../pages/memories/memories.tsx'), 'q state clientId from until sort order'),
  page('/files', () => import('../pages/workspace/files.tsx'), 'q show path version as'),
  page('/imports', () => import('../pages/imports/imports.tsx'), 'state clientId open'),
  page('/review', () => import('../pages/memories/review.tsx'), 'q clientId item'),
  page('/captures', () => import('../pages/captures/captures.tsx'), 'state sessionId open'),
  page('/people', () => import('../pages/people/people.tsx'), 'q tab person invite add'),
  page('/clients', () => import('../pages/clients/clients.tsx'), 'q state client'),
  page('/tokens', () => import('../pages/tokens/tokens.tsx'), 'tab new'),
  page('/activity', () => import('../pages/activity/activity.tsx'), 'days'),
  page('/audit', () => import('../pages/audit/audit.tsx'), 'kind actor from to searches subject of event'),
  page('/settings', () => import('../pages/teams/settings.tsx')),
  page('/company', () => import('../pages/companies/company.tsx'), 'part q open person new'),
  page('/jobs', () => import('../pages/status/jobs.tsx')),
  page('/dashboard', () => import('../pages/status/jobs.tsx'), undefined, JOBS),
  page('/account', () => import('../pages/accounts/account.tsx')),
  page('/memories/$id', () => import('../pages/memories/memory.tsx'), 'version'),
  page('/sources/$id', () => import('../pages/sources/source.tsx'), 'chunk panel version edit'),
]);

export const router = createRouter({
  routeTree,
  basepath: ROOT.pathname,
  defaultErrorComponent: PageFailed,
  scrollRestoration: true,
  defaultPreload: 'intent',
  // Plain texts: an id of digits stays a text.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => textOf(value));
    const text = new URLSearchParams(given as [string, string][]).toString();
    return text === '' ? '' : `?${text}`;
  },
});
