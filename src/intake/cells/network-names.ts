/**
 * Names that mean one network of a country today: its own names, its former names, and names of networks that it took
 * over. One network a line. Only names with no other meaning in the country.
 */
const namesByCountry: Record<string, readonly string[]> = {
  BF: ['Orange, Airtel, Zain, Celtel', 'Moov Africa, Moov, Telmob, Onatel'],
  CD: ['Airtel, Zain, Celtel', 'Orange, Tigo', 'Vodacom, Voda'],
  CG: ['Airtel, Zain, Celtel, Warid'],
  DZ: ['Ooredoo, Nedjma'],
  EG: ['Orange, Mobinil'],
  GA: ['Airtel, Zain, Celtel'],
  GH: ['AT, AirtelTigo, Airtel, Tigo, Zain', 'Telecel, Vodafone, Voda, Onetouch', 'MTN, Areeba'],
  IN: ['Vi, Vodafone Idea, Vodafone, Idea'],
  KE: ['Airtel, Zain, Celtel, Kencell', 'Telkom, Orange'],
  KM: ['Yas, Telma'],
  LK: ['Hutch, Etisalat'],
  LR: ['Orange, Cellcom'],
  LS: ['Vodacom, Voda'],
  MA: ['Orange, Méditel'],
  MG: ['Yas, Telma', 'Airtel, Zain, Celtel'],
  MM: ['ATOM, Telenor'],
  MW: ['Airtel, Zain, Celtel'],
  MZ: ['Tmcel, mCel', 'Vodacom, Voda'],
  NE: ['Airtel, Zain, Celtel'],
  NG: [
    'T2, T2mobile, 9mobile, Etisalat',
    'Airtel, Zain, Celtel, Vmobile, V-Mobile, Econet',
    'Glo, Glo Mobile, Globacom',
  ],
  PK: ['Jazz, Mobilink, Warid'],
  RW: ['Airtel, Tigo', 'MTN, MTN Rwandacell, Rwandacell'],
  SL: ['Orange, Airtel, Zain, Celtel'],
  SN: ['Yas, Free, Tigo'],
  SZ: ['MTN, Swazi MTN'],
  TD: ['Airtel, Zain, Celtel', 'Moov Africa, Moov, Tigo'],
  TG: ['Yas, Togocom, Togocel'],
  TN: ['Ooredoo, Tunisiana'],
  TZ: ['Yas, Tigo', 'Airtel, Zain, Celtel', 'Vodacom, Voda'],
  UG: ['Airtel, Zain, Celtel, Warid'],
  ZA: ['Vodacom, Voda', 'Telkom, 8ta'],
  ZM: ['Airtel, Zain, Celtel'],
};

/** The names of each network of a country that has more than one name. */
export function networkNames(country: string): string[][] {
  return (namesByCountry[country] ?? []).map((line) => line.split(', '));
}
