import type { App, Routes } from '../../types.ts';
import { servePage } from './serve-page.ts';

/** The files that every page for a one-time link loads, in addition to its own script. */
const ASSETS = [
  'shared/page.css',
  'shared/ask-service.js',
  'shared/element.js',
  'shared/page-text.js',
  'shared/session.js',
  'links/link-page.js',
  'links/one-time-link.js',
  'links/password-form.js',
  'links/session-view.js',
];

/**
 * Serves a page for one-time links. The token is in the fragment of the address, so the service does not receive it.
 */
function serveLinkPage(app: App, name: string, scripts: readonly string[]): void {
  servePage(app, {
    addresses: [`/${name}`],
    folder: `/${name}`,
    html: `links/${name}.html`,
    assets: [...scripts, ...ASSETS],
  });
}

/** The page that a reset link leads to. */
export const resetPage: Routes = (app) => serveLinkPage(app, 'reset', ['links/reset.js']);

/** The page that an invite into a Team leads to. */
export const joinPage: Routes = (app) =>
  serveLinkPage(app, 'join', ['links/join.js', 'links/invite-page.js']);

/** The page that the invitation to become a Company Admin leads to. */
export const acceptPage: Routes = (app) =>
  serveLinkPage(app, 'accept', ['links/accept.js', 'links/invite-page.js']);
