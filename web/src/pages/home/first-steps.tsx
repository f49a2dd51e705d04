import { Link } from '@tanstack/react-router';
import { Circle, CircleCheck } from 'lucide-react';
import { useRead } from '../../app/data.ts';
import { useTeam } from '../../app/session.tsx';
import { CommandLine } from '../../ui/copy.tsx';
import { Section } from '../../ui/section.tsx';

/** What an Owner of the Company does first; gone when all of it is done. Only an Owner can read all that it asks for. */
export function FirstSteps() {
  const { id } = useTeam();
  const members = useRead('listTeamMembers', [{ limit: 2 }]).data?.items;
  const invites = useRead('listInvites', [{ limit: 1 }]).data?.items;
  const sources = useRead('listSources', [{ sort: 'updatedAt', limit: 8 }]).data?.items;
  const tokens = useRead('listTeamTokens', [{ limit: 1 }]).data?.items;
  if (!members || !invites || !sources || !tokens) return null;
  const steps = [
    {
      name: 'Invite people',
      isDone: members.length > 1 || invites.length > 0,
      about: 'You get a link for each person. It works once, for 7 days.',
      to: '/people',
    },
    {
      name: 'Import a folder',
      isDone: sources.length > 0,
      about: 'Drop files on this page, or send a whole folder with the terminal client.',
      to: '/imports',
      line: `memory import ./documents --team ${id}`,
    },
    {
      name: 'Connect an agent',
      isDone: tokens.length > 0,
      about: 'The agent gets a token, which has fewer rights than you, and a line to copy.',
      to: '/tokens',
    },
  ] as const;
  if (steps.every(({ isDone }) => isDone)) return null;
  return (
    <Section title="First steps">
      <ol className="overflow-hidden rounded-lg border border-line bg-panel">
        {steps.map(({ name, isDone, about, to, ...step }) => {
          const Icon = isDone ? CircleCheck : Circle;
          return (
            <li key={name} className="flex gap-3 border-b border-line p-3 last:border-0">
              <Icon
                aria-label={isDone ? 'Done' : 'To do'}
                size={18}
                className={`mt-0.5 shrink-0 ${isDone ? 'text-good' : 'text-faint'}`}
              />
              <div className="flex min-w-0 grow flex-col gap-2">
                <Link to={to} className={isDone ? 'text-soft line-through' : 'font-medium hover:underline'}>
                  {name}
                </Link>
                {!isDone && <p className="text-sm text-soft">{about}</p>}
                {!isDone && 'line' in step && <CommandLine label={name} line={step.line} />}
              </div>
            </li>
          );
        })}
      </ol>
    </Section>
  );
}
