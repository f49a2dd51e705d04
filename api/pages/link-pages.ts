import type { App, Routes } from '../app.ts';
import { servePage } from './serve-page.ts';

/** What every page for a one-time link loads beside its own script. */
const ASSETS = [
  'page.css',
  'ask-service.js',
  'element.js',
  'link-page.js',
  'one-time-link.js',
  'page-text.js',
  'password-form.js',
  'session.js',
  'session-view.js',
  'tab-storage.js',
];

/** The token of the link is in the fragment, so it never comes here. */
function serveLinkPage(app: App, name: string, scripts: readonly string[]): void {
  servePage(app, `/${name}`, { html: `${name}.html`, assets: [...scripts, ...ASSETS] });
}

/** The page that a reset link leads to. */
export const resetPage: Routes = (app) => serveLinkPage(app, 'reset', ['reset.js']);

/** The page that an invite into a Team leads to. */
export const joinPage: Routes = (app) => serveLinkPage(app, 'join', ['join.js', 'invite-page.js']);

/** The page that the invitation to become a Company Admin leads to. */
export const acceptPage: Routes = (app) => serveLinkPage(app, 'accept', ['accept.js', 'invite-page.js']);
