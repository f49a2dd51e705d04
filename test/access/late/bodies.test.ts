import { describe } from 'node:test';
import { MAIL_ON, openTestApp } from '../../support/app.ts';
import { sendSlowly } from '../../support/slow-body.ts';
import { bodyCases } from './cases.ts';
import { check, testCases } from './walk.ts';

const service = await openTestApp(MAIL_ON);

// Concurrent, because each test waits for a second. Not all at once: a body must arrive within ten seconds.
describe('a request whose body arrives late', { concurrency: 6 }, () => {
  testCases(bodyCases(), (t, late) =>
    check(service, late, (request, happen) => sendSlowly(t, service, request, happen)),
  );
});
