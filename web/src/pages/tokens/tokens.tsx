import { Plus } from 'lucide-react';
import { useState } from 'react';
import type { IssuedToken } from '../../../../shared/schemas/tokens.ts';
import { useAll } from '../../app/data.ts';
import { useFilters } from '../../app/filters.ts';
import { TOKENS } from '../../app/pages.tsx';
import { useTeam } from '../../app/session.tsx';
import { Button } from '../../ui/button.tsx';
import { Page } from '../../ui/page.tsx';
import { Tabs } from '../../ui/tabs.tsx';
import { useNames } from '../people/rights.ts';
import { Issued, NO_TOKEN, Programs } from './connect.tsx';
import { NewToken } from './new-token.tsx';
import { TokenList } from './token-list.tsx';

/** The page at /tokens. */
export default function Tokens() {
  const [filters, setFilters] = useFilters('/tokens');
  const { access, state } = useTeam();
  const clients = useAll('listClients', {}).items;
  const [issued, setIssued] = useState<IssuedToken | null>(null);
  const canMake = state === 'active';
  const tab = filters.tab === 'team' && access !== 'full' ? undefined : filters.tab;
  const close = () => setFilters({ new: undefined });
  const newButton = canMake && (
    <Button look="primary" icon={Plus} onClick={() => void setFilters({ new: '1' })}>
      New token
    </Button>
  );
  return (
    <Page title={TOKENS.name} actions={newButton}>
      <Tabs
        label="Tokens"
        parameter="tab"
        value={tab}
        tabs={[
          { value: undefined, name: 'Yours' },
          ...(access === 'full' ? [{ value: 'team', name: 'Of the Team' }] : []),
          { value: 'connect', name: 'Connect' },
        ]}
      />
      {tab === undefined && (
        <TokenList
          of="listTokens"
          clientOf={(id) => clients.find((client) => client.id === id)?.name}
          onRotated={setIssued}
          empty={
            <>
              <p>
                With a token, an agent or a script acts for you in one Team, with fewer rights than you have.
              </p>
              {newButton || <p>A token needs a Team that is not archived.</p>}
            </>
          }
        />
      )}
      {tab === 'team' && <TeamTokens />}
      {tab === 'connect' && (
        <div className="flex max-w-2xl flex-col gap-3">
          <p className="text-soft">
            Put a token in place of <code className="font-mono text-sm">{NO_TOKEN}</code>. A new token comes
            with lines that contain it.
          </p>
          <Programs token={NO_TOKEN} />
        </div>
      )}
      {filters.new !== undefined && canMake && (
        <NewToken
          onClose={() => void close()}
          onIssued={(made) => {
            // First, so that the form does not open again where the secret is left.
            void close();
            setIssued(made);
          }}
        />
      )}
      {issued !== null && <Issued issued={issued} onClose={() => setIssued(null)} />}
    </Page>
  );
}

const TeamTokens = () => (
  <TokenList
    of="listTeamTokens"
    ownerOf={useNames('listTeamMembers', 'not a member')}
    empty={<p>Nobody has made a token for this Team.</p>}
  />
);
