/**
 * The value of one US dollar in each currency, and the decimals of its amounts. The rates are fixed, so that every cost
 * can be checked by hand.
 */
export const currencies: Readonly<Record<string, { perUsd: string; decimals: number }>> = {
  USD: { perUsd: '1', decimals: 2 },
  KES: { perUsd: '129.25', decimals: 2 },
  UGX: { perUsd: '3690', decimals: 0 },
  TZS: { perUsd: '2610', decimals: 2 },
  RWF: { perUsd: '1370', decimals: 0 },
  NGN: { perUsd: '1545.5', decimals: 2 },
  GHS: { perUsd: '15.4', decimals: 2 },
  ZAR: { perUsd: '18.1', decimals: 2 },
  ZMW: { perUsd: '26.5', decimals: 2 },
  MWK: { perUsd: '1734', decimals: 2 },
  XAF: { perUsd: '603', decimals: 0 },
  XOF: { perUsd: '603', decimals: 0 },
  ETB: { perUsd: '128', decimals: 2 },
  EGP: { perUsd: '49.5', decimals: 2 },
  INR: { perUsd: '84.2', decimals: 2 },
  PHP: { perUsd: '57.1', decimals: 2 },
};
