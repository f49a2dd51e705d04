import { AuditVerification } from '../../shared/schemas/audit.ts';
import { signedIn } from '../client/signed-in.ts';
import { type Command, CREDENTIAL_NOTE, SERVICE_OPTIONS } from '../program/command.ts';
import { CommandError } from '../terminal/command-error.ts';

/** The service checks all audit events of the Company before it answers. */
const TIMEOUT_MS = 300_000;

export const auditVerify: Command<typeof SERVICE_OPTIONS> = {
  section: 'operator',
  summary: 'verify that no audit event was changed or removed',
  about: `Verifies the hash chain of the Company's audit events. If the chain is broken, prints the first broken event
and exits with code 1. For Company Owners.`,
  options: SERVICE_OPTIONS,
  notes: CREDENTIAL_NOTE,
  async run(values) {
    const { service } = await signedIn(values);
    const data = await service.get('/v1/company/audit/verify', AuditVerification, { timeoutMs: TIMEOUT_MS });
    const { events, unsealed, firstBreak, head } = data;
    if (firstBreak !== null) {
      const failure = new CommandError(
        `the audit chain is broken at event ${firstBreak}: it was changed, removed or moved (${events} events)`,
      );
      return { text: '', data, failure };
    }
    const lines = [
      `${events} audit events, ${unsealed} of them not sealed yet. The chain is intact.`,
      ...(head === null ? [] : [`seal ${head.sequence}  ${head.hash}`]),
    ];
    return { text: lines.join('\n'), data };
  },
};
