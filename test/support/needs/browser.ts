import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';

/** Why tests in a browser are left out here, or false. Never where CI is set: there a missing browser fails. */
export const withoutBrowser: string | false =
  !existsSync(CHROMIUM) && !process.env['CI'] ? `${CHROMIUM} is not installed` : false;

/** Debian's Chromium, told to speak to nobody but the pages under test. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath: CHROMIUM,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}
