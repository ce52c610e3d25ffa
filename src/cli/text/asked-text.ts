import { moneyText } from '../../core/money/money.ts';

interface Asked {
  amount: string | null;
  currency: string | null;
  product_id: string | null;
}

/** What a row asks for: an amount, or a product. */
export function askedText({ amount, currency, product_id }: Asked): string | null {
  return amount === null ? product_id : moneyText(currency ?? '', amount);
}
