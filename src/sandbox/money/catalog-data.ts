/**
 * A country of the sandbox: real networks, with the prefixes that were assigned to them (numbers may have been ported
 * since).
 */
export interface CountryData {
  code: string;
  name: string;
  /** Without "+". */
  callingCode: string;
  currency: string;
  /**
   * The smallest and largest custom amount, in the currency: the spec shows none (section 8.2), but every real operator
   * has some.
   */
  amountMin: string;
  amountMax: string;
  /** Fixed products of each network of the country: name and price. */
  bundles: readonly (readonly [name: string, amount: string])[];
  networks: readonly { id: number; name: string; prefixes: readonly string[] }[];
}

export const countries: readonly CountryData[] = [
  {
    code: 'KE',
    name: 'Kenya',
    callingCode: '254',
    currency: 'KES',
    amountMin: '5',
    amountMax: '10000',
    bundles: [
      ['Data 250 MB, 24 hours', '20'],
      ['Data 1 GB, 24 hours', '99'],
      ['Data 5 GB, 30 days', '500'],
    ],
    networks: [
      {
        id: 1,
        name: 'Safaricom Kenya',
        prefixes: ['70', '71', '72', '74', '757', '758', '759', '768', '769', '79', '11'],
      },
      { id: 2, name: 'Airtel Kenya', prefixes: ['73', '750', '751', '752', '753', '754', '755', '756', '78', '10'] },
      { id: 3, name: 'Telkom Kenya', prefixes: ['77'] },
    ],
  },
  {
    code: 'UG',
    name: 'Uganda',
    callingCode: '256',
    currency: 'UGX',
    amountMin: '500',
    amountMax: '500000',
    bundles: [
      ['Data 500 MB, 24 hours', '1000'],
      ['Data 3 GB, 7 days', '10000'],
    ],
    networks: [
      { id: 4, name: 'MTN Uganda', prefixes: ['76', '77', '78', '39'] },
      { id: 5, name: 'Airtel Uganda', prefixes: ['70', '74', '75'] },
    ],
  },
  {
    code: 'TZ',
    name: 'Tanzania',
    callingCode: '255',
    currency: 'TZS',
    amountMin: '500',
    amountMax: '500000',
    bundles: [
      ['Data 1 GB, 24 hours', '1500'],
      ['Data 4 GB, 7 days', '10000'],
    ],
    networks: [
      { id: 6, name: 'Vodacom Tanzania', prefixes: ['74', '75', '76'] },
      { id: 7, name: 'Airtel Tanzania', prefixes: ['68', '69', '78'] },
      { id: 8, name: 'Yas Tanzania', prefixes: ['65', '67', '71', '77'] },
      { id: 9, name: 'Halotel Tanzania', prefixes: ['61', '62'] },
    ],
  },
  {
    code: 'RW',
    name: 'Rwanda',
    callingCode: '250',
    currency: 'RWF',
    amountMin: '100',
    amountMax: '200000',
    bundles: [['Data 1 GB, 24 hours', '500']],
    networks: [
      { id: 10, name: 'MTN Rwanda', prefixes: ['78', '79'] },
      { id: 11, name: 'Airtel Rwanda', prefixes: ['72', '73'] },
    ],
  },
  {
    code: 'NG',
    name: 'Nigeria',
    callingCode: '234',
    currency: 'NGN',
    amountMin: '50',
    amountMax: '50000',
    bundles: [
      ['Data 500 MB, 24 hours', '200'],
      ['Data 1.5 GB, 30 days', '1200'],
      ['Data 10 GB, 30 days', '4500'],
    ],
    networks: [
      {
        id: 12,
        name: 'MTN Nigeria',
        prefixes: ['703', '706', '803', '806', '810', '813', '814', '816', '903', '906', '913', '916'],
      },
      {
        id: 13,
        name: 'Airtel Nigeria',
        prefixes: ['701', '708', '802', '808', '812', '901', '902', '904', '907', '912'],
      },
      { id: 14, name: 'Glo Nigeria', prefixes: ['705', '805', '807', '811', '815', '905', '915'] },
      { id: 15, name: '9mobile Nigeria', prefixes: ['809', '817', '818', '908', '909'] },
    ],
  },
  {
    code: 'GH',
    name: 'Ghana',
    callingCode: '233',
    currency: 'GHS',
    amountMin: '1',
    amountMax: '1000',
    bundles: [['Data 1 GB, 7 days', '12']],
    networks: [
      { id: 16, name: 'MTN Ghana', prefixes: ['24', '25', '53', '54', '55', '59'] },
      { id: 17, name: 'Telecel Ghana', prefixes: ['20', '50'] },
      { id: 18, name: 'AT Ghana', prefixes: ['26', '27', '56', '57'] },
    ],
  },
  {
    code: 'ZA',
    name: 'South Africa',
    callingCode: '27',
    currency: 'ZAR',
    amountMin: '2',
    amountMax: '1000',
    bundles: [
      ['Data 500 MB, 30 days', '69'],
      ['Data 1 GB, 30 days', '85'],
    ],
    networks: [
      { id: 19, name: 'Vodacom South Africa', prefixes: ['72', '76', '79', '82', '60', '66'] },
      { id: 20, name: 'MTN South Africa', prefixes: ['73', '78', '83', '63'] },
      { id: 21, name: 'Cell C', prefixes: ['74', '84', '61', '62'] },
      { id: 22, name: 'Telkom Mobile', prefixes: ['81', '67', '68'] },
    ],
  },
  {
    code: 'ZM',
    name: 'Zambia',
    callingCode: '260',
    currency: 'ZMW',
    amountMin: '1',
    amountMax: '2000',
    bundles: [['Data 1 GB, 7 days', '35']],
    networks: [
      { id: 23, name: 'Airtel Zambia', prefixes: ['97', '77'] },
      { id: 24, name: 'MTN Zambia', prefixes: ['96', '76'] },
      { id: 25, name: 'Zamtel', prefixes: ['95', '75'] },
    ],
  },
  {
    code: 'MW',
    name: 'Malawi',
    callingCode: '265',
    currency: 'MWK',
    amountMin: '50',
    amountMax: '100000',
    bundles: [['Data 1 GB, 24 hours', '900']],
    networks: [
      { id: 26, name: 'Airtel Malawi', prefixes: ['99', '98'] },
      { id: 27, name: 'TNM Malawi', prefixes: ['88', '89'] },
    ],
  },
  {
    code: 'CM',
    name: 'Cameroon',
    callingCode: '237',
    currency: 'XAF',
    amountMin: '100',
    amountMax: '100000',
    bundles: [['Data 1 GB, 24 hours', '500']],
    networks: [
      { id: 28, name: 'MTN Cameroon', prefixes: ['67', '68', '650', '651', '652', '653', '654'] },
      { id: 29, name: 'Orange Cameroon', prefixes: ['69', '655', '656', '657', '658', '659'] },
    ],
  },
  {
    code: 'CI',
    name: "Cote d'Ivoire",
    callingCode: '225',
    currency: 'XOF',
    amountMin: '100',
    amountMax: '100000',
    bundles: [['Data 1 GB, 7 days', '1000']],
    networks: [
      { id: 30, name: "Orange Cote d'Ivoire", prefixes: ['07'] },
      { id: 31, name: "MTN Cote d'Ivoire", prefixes: ['05'] },
      { id: 32, name: "Moov Africa Cote d'Ivoire", prefixes: ['01'] },
    ],
  },
  {
    code: 'SN',
    name: 'Senegal',
    callingCode: '221',
    currency: 'XOF',
    amountMin: '100',
    amountMax: '100000',
    bundles: [['Data 1 GB, 7 days', '1000']],
    networks: [
      { id: 33, name: 'Orange Senegal', prefixes: ['77', '78'] },
      { id: 34, name: 'Yas Senegal', prefixes: ['76'] },
      { id: 35, name: 'Expresso Senegal', prefixes: ['70'] },
    ],
  },
  {
    code: 'ET',
    name: 'Ethiopia',
    callingCode: '251',
    currency: 'ETB',
    amountMin: '5',
    amountMax: '10000',
    bundles: [['Data 1 GB, 7 days', '70']],
    networks: [
      { id: 36, name: 'Ethio telecom', prefixes: ['9'] },
      { id: 37, name: 'Safaricom Ethiopia', prefixes: ['7'] },
    ],
  },
  {
    code: 'EG',
    name: 'Egypt',
    callingCode: '20',
    currency: 'EGP',
    amountMin: '5',
    amountMax: '2000',
    bundles: [['Data 5 GB, 30 days', '130']],
    networks: [
      { id: 38, name: 'Vodafone Egypt', prefixes: ['10'] },
      { id: 39, name: 'e& Egypt', prefixes: ['11'] },
      { id: 40, name: 'Orange Egypt', prefixes: ['12'] },
      { id: 41, name: 'WE', prefixes: ['15'] },
    ],
  },
  {
    code: 'IN',
    name: 'India',
    callingCode: '91',
    currency: 'INR',
    amountMin: '10',
    amountMax: '5000',
    bundles: [
      ['Data 2 GB a day, 28 days', '349'],
      ['Data 1 GB, 24 hours', '19'],
    ],
    networks: [
      { id: 42, name: 'Jio', prefixes: ['6', '70', '79', '82', '88', '93'] },
      { id: 43, name: 'Airtel India', prefixes: ['80', '81', '96', '97', '98', '99'] },
      { id: 44, name: 'Vi', prefixes: ['7', '83', '84', '85', '86', '87', '89', '90', '91', '92', '94', '95'] },
    ],
  },
  {
    code: 'PH',
    name: 'Philippines',
    callingCode: '63',
    currency: 'PHP',
    amountMin: '10',
    amountMax: '10000',
    bundles: [['Data 8 GB, 7 days', '99']],
    networks: [
      {
        id: 45,
        name: 'Globe Telecom',
        prefixes: ['905', '906', '915', '916', '917', '926', '927', '935', '936', '995', '997'],
      },
      {
        id: 46,
        name: 'Smart',
        prefixes: ['907', '908', '909', '910', '912', '918', '919', '920', '921', '928', '929', '939', '998', '999'],
      },
      { id: 47, name: 'DITO', prefixes: ['991', '992', '993', '994'] },
    ],
  },
];
