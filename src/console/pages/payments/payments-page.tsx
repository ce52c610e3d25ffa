import { useState } from 'react';
import { Page } from '../../base/page.tsx';
import { Tabs } from '../../base/tabs.tsx';
import { WithAccounts } from '../../forms/account-field.tsx';
import { t } from '../../texts/i18n.ts';
import { FilesPanel } from './files-panel.tsx';
import { JournalPanel } from './journal-panel.tsx';
import { PersonPanel } from './person-panel.tsx';

const tabs = ['person', 'files', 'journal'] as const;

/** What was paid: to one person, by file, and for the books. */
export function PaymentsPage() {
  const [chosen, setChosen] = useState<(typeof tabs)[number]>('person');
  return (
    <Page title={t('nav.payments')} sub={t('payments.sub')}>
      <Tabs
        label={t('nav.payments')}
        tabs={tabs.map((id) => ({ id, label: t(`payments.tab.${id}`) }))}
        chosen={chosen}
        onChoose={setChosen}
      >
        {chosen === 'person' && <PersonPanel />}
        {chosen === 'files' && <FilesPanel />}
        {chosen === 'journal' && <WithAccounts>{(accounts) => <JournalPanel accounts={accounts} />}</WithAccounts>}
      </Tabs>
    </Page>
  );
}
