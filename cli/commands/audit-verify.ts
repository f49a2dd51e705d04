import { AuditVerification } from '../../shared/schemas/audit.ts';
import { signedIn } from '../client/signed-in.ts';
import { CommandError } from '../terminal/command-error.ts';
import { type Command, CREDENTIAL_HELP, URL_HELP } from './command.ts';

/** The service checks all audit events of the Company before it answers. */
const TIMEOUT_MS = 300_000;

const help = `Verifies the hash chain of the Company's audit events. If the chain is broken, prints the first broken event and
exits with code 1. For Company Owners.

Usage: npm run cli -- audit-verify [options]

${URL_HELP}

${CREDENTIAL_HELP}`;

export const auditVerify: Command = {
  summary: 'verify that no audit event was changed or removed',
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
        `the audit chain is broken at event ${firstBreak}: it was changed, removed or moved (${events} events)`,
      );
    }
    return [
      `${events} audit events, ${unsealed} of them not sealed yet. The chain is intact.`,
      ...(head === null ? [] : [`seal ${head.sequence}  ${head.hash}`]),
    ].join('\n');
  },
};
