import { once } from 'node:events';
import { Agent, request } from 'node:http';
import { type LoadOrder, type LoadReport, loginRequest, nextAddress, PASSWORD } from './shapes.ts';

/**
 * Sends the sign-ins of `sign-in.ts`, in a process of its own so that it takes nothing from those it disturbs but
 * what sign-ins take. All at once, and as many again when the last is answered, until the parent says that it is
 * enough; then it reports.
 */
const { url, emails, atOnce } = ((await once(process, 'message')) as [LoadOrder])[0];
const agent = new Agent({ keepAlive: true, maxSockets: atOnce });

function send(from: string, email: string): Promise<number> {
  const { url: to, headers, body } = loginRequest(url, from, email, PASSWORD);
  return new Promise((resolve, reject) => {
    request(to, { method: 'POST', agent, headers }, (response) => {
      response.on('error', reject).on('end', () => resolve(response.statusCode ?? 0));
      response.resume();
    })
      .on('error', reject)
      .end(body);
  });
}

const report: LoadReport = { rounds: 0, statuses: {}, times: [] };
let on = true;
process.once('message', () => {
  on = false;
});
while (on) {
  await Promise.all(
    Array.from({ length: atOnce }, async (_, index) => {
      const began = performance.now();
      const status = await send(nextAddress(), emails[index % emails.length] ?? '');
      if (status === 200) report.times.push(performance.now() - began);
      report.statuses[status] = (report.statuses[status] ?? 0) + 1;
    }),
  );
  report.rounds += 1;
  if (report.rounds === 1) process.send?.('begun');
}
agent.destroy();
process.send?.(report, () => process.disconnect());
