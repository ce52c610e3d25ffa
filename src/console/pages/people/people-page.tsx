import { useState } from 'react';
import { mayOversee, useSession } from '../../api/session.ts';
import { NoRole, Page } from '../../base/page.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { t } from '../../texts/i18n.ts';
import { KeysPanel } from './keys-panel.tsx';
import { PeoplePanel } from './people-panel.tsx';
import { SessionsPanel } from './sessions-panel.tsx';

const panels = { people: PeoplePanel, sessions: SessionsPanel, keys: KeysPanel };
type PanelId = keyof typeof panels;

/** Who may do what: people, where they are signed in, and the keys of programs. Auditors see it and change nothing. */
export function PeoplePage() {
  const isSeen = mayOversee(useSession());
  return (
    <Page title={t('nav.people')} sub={t('people.sub')}>
      {isSeen ? <Panels /> : <NoRole title={t('people.admin_only')} needs="admin" />}
    </Page>
  );
}

function Panels() {
  const [chosen, setChosen] = useState<PanelId>('people');
  const Panel = panels[chosen];
  return (
    <Tabs
      label={t('nav.people')}
      chosen={chosen}
      onChoose={setChosen}
      tabs={(Object.keys(panels) as PanelId[]).map((id) => ({ id, label: t(`people.tab.${id}`) }))}
    >
      <Panel />
    </Tabs>
  );
}
