import { after, afterEach } from 'node:test';
import type { Browser } from 'playwright-core';
import type { TestApp } from '../support/app.ts';
import { launchBrowser, withoutBrowser } from '../support/needs/browser.ts';

interface OpenBrowser {
  /** The address of the service. */
  base: string;
  /** Tests that use it must be skipped with `skip`. */
  browser: Browser;
  /** Why there is no browser, or false. */
  skip: string | false;
}

/** The service on a port, and a browser whose tabs are closed after each test. Call it at file level. */
export async function openBrowser({ app }: Pick<TestApp, 'app'>): Promise<OpenBrowser> {
  const base = await app.listen({ host: '127.0.0.1', port: 0 });
  if (withoutBrowser !== false) return { base, browser: undefined as never, skip: withoutBrowser };
  const browser = await launchBrowser();
  afterEach(async () => {
    for (const context of browser.contexts()) await context.close();
  });
  after(() => browser.close());
  return { base, browser, skip: false };
}
