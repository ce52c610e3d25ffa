import { isLess, minus, plus } from '../parts/exact.ts';
import type { SandboxOptions } from '../parts/options.ts';
import type { Store } from '../parts/store.ts';
import { networks } from './catalog.ts';
import { demoCompany } from './companies.ts';

/** A wallet of Version 2, or a balance of Version 1 (one for each network, spec section 2.6). */
export interface Wallet {
  id: string;
  company: string;
  version: 'v2' | 'v1';
  type: 'global' | 'local';
  currency: string;
  /** The only country that a local wallet pays for; null for all. */
  country: string | null;
  /** The only network that a balance of Version 1 pays for. */
  network_id: number | null;
  balance: string;
  status: 'active' | 'inactive';
  low_balance: string | null;
  is_low: number;
}

/** One movement of a wallet. The sum of its movements is always its balance. */
export interface StatementEntry {
  wallet_id: string;
  at: number;
  amount: string;
  why: 'funding' | 'charge' | 'given_back' | 'refund';
  topup_id: string | null;
  balance_after: string;
}

const localWallets = [
  { id: 'wallet-kes', currency: 'KES', country: 'KE', balance: '500000' },
  { id: 'wallet-ngn', currency: 'NGN', country: 'NG', balance: '2000000' },
  { id: 'wallet-zar', currency: 'ZAR', country: 'ZA', balance: '20000' },
];

/**
 * Version 1: in these countries a balance is in the local currency, elsewhere in dollars. Other countries are not
 * enabled (code 200).
 */
const v1Countries = new Map([
  ['KE', 'KES'],
  ['UG', 'UGX'],
  ['NG', 'NGN'],
  ['TZ', 'USD'],
  ['GH', 'USD'],
  ['ZA', 'USD'],
  ['RW', 'USD'],
  ['ZM', 'USD'],
  ['SN', 'USD'],
]);
const v1Funding: Readonly<Record<string, string>> = { KES: '500000', UGX: '20000000', NGN: '2000000', USD: '10000' };

/** The id of a Version 1 balance: a UUID that tests can predict. */
export const v1WalletId = (networkId: number): string =>
  `00000000-0000-4000-8000-${String(networkId).padStart(12, '0')}`;

type NewWallet = Pick<
  Wallet,
  'id' | 'company' | 'version' | 'type' | 'currency' | 'country' | 'network_id' | 'balance'
>;

function firstWallets(): NewWallet[] {
  const v2 = { version: 'v2', network_id: null } as const;
  return [
    { ...v2, id: 'wallet-usd', company: demoCompany, type: 'global', currency: 'USD', country: null, balance: '10000' },
    ...localWallets.map((wallet) => ({ ...v2, ...wallet, company: demoCompany, type: 'local' as const })),
    {
      ...v2,
      id: 'other-usd',
      company: 'other-company',
      type: 'global',
      currency: 'USD',
      country: null,
      balance: '100',
    },
    ...networks.flatMap(({ id, country }): NewWallet[] => {
      const currency = v1Countries.get(country.code);
      if (currency === undefined) return [];
      const balance = v1Funding[currency] ?? '0';
      const place = { version: 'v1', type: 'local', network_id: id, country: country.code } as const;
      return [{ ...place, id: v1WalletId(id), company: demoCompany, currency, balance }];
    }),
  ];
}

export interface Wallets {
  list(company: string, version: 'v2' | 'v1'): Wallet[];
  find(id: string): Wallet | null;
  /** Moves money; `amount` is signed. Returns the wallet if this took it below its threshold. */
  move(entry: {
    walletId: string;
    amount: string;
    why: StatementEntry['why'];
    topupId: string | null;
    at: number;
  }): Wallet | null;
  setStatus(id: string, status: Wallet['status']): void;
  /** Sets the balance by a movement. Returns the wallet if this took it below its threshold. */
  setBalance(id: string, balance: string, at: number): Wallet | null;
  /** The threshold of the event `wallet.low_balance`; null for none. */
  setLowBalance(id: string, threshold: string | null): void;
  /** Makes the wallets of a new sandbox, if there are none. */
  open(at: number): void;
  statement(id: string): StatementEntry[];
}

export function makeWallets(store: Store, { balances = {}, lowBalance = {} }: SandboxOptions): Wallets {
  const find = (id: string) => store.one<Wallet>('SELECT * FROM wallets WHERE id = ?', id);
  const move: Wallets['move'] = ({ walletId, amount, why, topupId, at }) => {
    const wallet = find(walletId);
    if (!wallet) throw new RangeError(`there is no wallet ${walletId}`);
    const balance = plus(wallet.balance, amount);
    const isLow = wallet.low_balance !== null && isLess(balance, wallet.low_balance);
    store.run('UPDATE wallets SET balance = ?, is_low = ? WHERE id = ?', balance, isLow ? 1 : 0, walletId);
    store.insert('statements', { wallet_id: walletId, at, amount, why, topup_id: topupId, balance_after: balance });
    return isLow && wallet.is_low === 0 ? { ...wallet, balance } : null;
  };
  const open = (at: number) =>
    store.atomically(() => {
      if (store.one('SELECT 1 FROM wallets LIMIT 1')) return;
      for (const { balance, ...wallet } of firstWallets()) {
        store.insert('wallets', {
          ...wallet,
          balance: '0',
          status: 'active',
          low_balance: lowBalance[wallet.id] ?? null,
          is_low: 0,
        });
        move({ walletId: wallet.id, amount: balances[wallet.id] ?? balance, why: 'funding', topupId: null, at });
      }
    });
  return {
    list: (company, version) =>
      store.all<Wallet>('SELECT * FROM wallets WHERE company = ? AND version = ? ORDER BY type, id', company, version),
    find,
    move,
    open,
    setBalance(id, balance, at) {
      const amount = minus(balance, find(id)?.balance ?? '0');
      return move({ walletId: id, amount, why: 'funding', topupId: null, at });
    },
    setLowBalance: (id, threshold) =>
      void store.run('UPDATE wallets SET low_balance = ?, is_low = 0 WHERE id = ?', threshold, id),
    setStatus: (id, status) => void store.run('UPDATE wallets SET status = ? WHERE id = ?', status, id),
    statement: (id) => store.all<StatementEntry>('SELECT * FROM statements WHERE wallet_id = ? ORDER BY number', id),
  };
}

/** Whether a wallet can pay this much. */
export const canPay = (wallet: Wallet, cost: string): boolean =>
  wallet.status === 'active' && !isLess(minus(wallet.balance, cost), '0');
