import { AuditVerification } from '../../shared/schemas/audit.ts';
import { signedIn } from '../client/signed-in.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Command, CREDENTIAL_HELP, URL_HELP } from './command.ts';

/** A Company's whole audit is walked before the answer comes. */
const TIMEOUT_MS = 300_000;

const help = `Walks the chain of hashes over the Company's audit events, and tells the first event at which it does not hold.
For Company Owners. Exit code 1 where it does not hold.

Usage: npm run cli -- audit-verify [options]

${URL_HELP}

${CREDENTIAL_HELP}`;

export const auditVerify: Command = {
  summary: 'tell whether the audit is whole',
  help,
  options: {},
  async run(values) {
    const { service } = await signedIn(values.url);
    const { events, unsealed, firstBreak, head } = await service.get(
      '/v1/company/audit/verify',
      AuditVerification,
      { timeoutMs: TIMEOUT_MS },
    );
    if (firstBreak !== null) {
      throw new CommandError(
        `the audit does not hold from event ${firstBreak} on: it was changed, removed or moved (${events} events)`,
      );
    }
    return [
      `${events} audit events, ${unsealed} of them not sealed yet: the chain holds.`,
      ...(head === null ? [] : [`seal ${head.sequence}  ${head.hash}`]),
    ].join('\n');
  },
};
