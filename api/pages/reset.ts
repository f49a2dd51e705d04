import type { Routes } from '../app.ts';
import { servePage } from './serve-page.ts';

/** The page that a reset link leads to. The token is in the fragment, so it never comes here. */
export const resetPage: Routes = (app) => {
  servePage(app, '/reset', { html: 'reset.html', assets: ['page.css', 'reset.js'] });
};
