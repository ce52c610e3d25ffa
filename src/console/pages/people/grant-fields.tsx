import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { get } from '../../api/client.ts';
import type { Role } from '../../api/session.ts';
import { t } from '../../texts/i18n.ts';
import '../../styles/choices.css';

const allRoles: readonly Role[] = ['prepare', 'approve', 'operate', 'resolve', 'audit', 'admin'];

export function rolesText(roles: readonly Role[]): string {
  return allRoles
    .filter((role) => roles.includes(role))
    .map((role) => t(`role.${role}`))
    .join(', ');
}

interface GrantFieldsProps {
  roles: readonly Role[];
  accounts: readonly string[];
  onRoles: (roles: Role[]) => void;
  onAccounts: (accounts: string[]) => void;
}

/** Roles and accounts to choose from. No account chosen means all of them. */
export function GrantFields({ roles, accounts, onRoles, onAccounts }: GrantFieldsProps) {
  const known = useQuery({ queryKey: ['accounts'], queryFn: () => get('/api/v1/accounts') });
  // Also accounts that the configuration no longer has: without them, a person would seem to have all.
  const [granted] = useState(accounts);
  const names = [...new Set([...(known.data?.accounts.map(({ account }) => account) ?? []), ...granted])];
  return (
    <>
      <fieldset className="choices">
        <legend>{t('shell.roles')}</legend>
        {allRoles.map((role) => (
          <label key={role}>
            <input type="checkbox" checked={roles.includes(role)} onChange={() => onRoles(toggled(roles, role))} />
            <span>
              {t(`role.${role}`)} <span className="help">{t(`people.role.${role}`)}</span>
            </span>
          </label>
        ))}
      </fieldset>
      <fieldset className="choices">
        <legend>{t('shell.accounts')}</legend>
        <p className="help">{t('people.accounts_help')}</p>
        {names.map((name) => (
          <label key={name}>
            <input
              type="checkbox"
              checked={accounts.includes(name)}
              onChange={() => onAccounts(toggled(accounts, name))}
            />
            {name}
          </label>
        ))}
      </fieldset>
    </>
  );
}

function toggled<Value>(chosen: readonly Value[], value: Value): Value[] {
  return chosen.includes(value) ? chosen.filter((one) => one !== value) : [...chosen, value];
}
