import { formatAmount } from '../texts/format.ts';
import { Money } from './values.tsx';

interface Wallet {
  name: string;
  currency: string;
  balance: string;
}

/** The balance of a wallet. Version 1 of the service names no currency: its wallets are told apart by their names. */
export function WalletBalance({ wallet: { name, currency, balance } }: { wallet: Wallet }) {
  return currency === '' ? (
    <span>
      {name} {formatAmount(balance, '')}
    </span>
  ) : (
    <Money value={balance} currency={currency} />
  );
}
