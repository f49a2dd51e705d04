import type { Config } from '../../shared/config.ts';
import { type CheckResult, checkPart } from '../../shared/settings/start-report.ts';
import { openMailer } from './mailer.ts';

/** Connects to the mail server and signs in, if the service sends mail. Nothing is sent. */
export async function* checkMail(config: Config): AsyncGenerator<CheckResult, void> {
  const mailer = openMailer(config);
  if (mailer === null || config.mailServer === null) return;
  const { host, port, credentials } = config.mailServer;
  yield await checkPart('mail', async () => {
    await mailer.verify();
    return `${host}:${port} accepts ${credentials === null ? 'connections' : 'the sign-in'}`;
  });
}
