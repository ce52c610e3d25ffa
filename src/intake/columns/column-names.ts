import { plainName } from '../../core/text/plain-name.ts';
import type { Field } from '../cells/fields.ts';
import { headerCurrency } from './header-currency.ts';
import { hasWordOf } from './like-names.ts';

/** The names that people give to columns, one line a language, in the form of `plainName`. */
const names: Record<Field, readonly string[]> = {
  phone_number: [
    'phone, mobile, mobile phone, cell, cell phone, cellphone, cellular, msisdn, telephone, tel, phone e164, recipient, recipient phone, recipient mobile, beneficiary phone, contact phone, contact, airtime, top up',
    'telephone portable, telephone mobile, portable, gsm, mobile du beneficiaire, telephone du beneficiaire',
    'telefono, telefono movil, telefono celular, movil, celular, contacto, telefono del beneficiario',
    'telefone, telefone movel, telefone celular, telemovel, contato, telefone do beneficiario',
    'simu, simu ya mkononi, simu ya mpokeaji, mawasiliano',
    'telefon, handy, mobil, mobiltelefon, mobilfunk, ruf, mobilruf, telefon des empfangers, telefonnummer des empfangers',
  ],
  country: [
    'country, country code, country iso, iso country, country of number',
    'pays, code pays, code du pays',
    'pais, codigo de pais, codigo pais, codigo del pais',
    'codigo do pais',
    'nchi, msimbo wa nchi',
    'land, landercode, laendercode, landerkurzel, laenderkuerzel',
  ],
  network_id: [
    'network id, networkid, network, network name, operator, operator id, operator name, mobile operator, carrier, telco, provider, mobile network',
    'reseau, nom du reseau, operateur, operateur mobile',
    'red, red movil, operador, operadora, operador movil',
    'rede, rede movel, operadora movel',
    'mtandao, mtandao wa simu',
    'netz, netzwerk, mobilfunknetz, netzbetreiber, mobilfunkbetreiber, netzanbieter, mobilfunkanbieter, anbieter, betreiber',
  ],
  amount: [
    'amount, value, sum, airtime, airtime amount, airtime value, topup, topup amount, top up amount, top up, amt, amount to pay, net amount',
    'montant, somme, valeur, montant a payer, montant net',
    'monto, importe, cantidad, valor, monto a pagar',
    'montante, quantia, valor a pagar',
    'kiasi, kiasi cha fedha, kiasi cha pesa, kiasi cha malipo, kiwango',
    'betrag, summe, wert, nettobetrag, zahlbetrag, auszahlungsbetrag, aufladebetrag',
  ],
  currency: [
    'currency, currency code, ccy, amount currency, currency of amount, airtime currency, topup currency, top up currency, payment currency, pay currency',
    'devise, monnaie, code devise',
    'moneda, divisa, codigo de moneda',
    'moeda, codigo da moeda',
    'sarafu, fedha',
    'wahrung, waehrung, wahrungscode, waehrungscode',
  ],
  product_id: [
    'product id, productid, product, product code, bundle, bundle id, bundle code, data bundle',
    'produit, id produit, code produit, forfait',
    'producto, id producto, id de producto, codigo de producto, paquete',
    'produto, id do produto, codigo do produto, pacote',
    'bidhaa, kifurushi',
    'produkt, produktcode, produkt id, paket, datenpaket',
  ],
  reference: [
    'reference, ref, payment reference, payment ref, external reference, external ref, ext ref id, ext ref, external id, transaction reference, our reference',
    'reference de paiement, reference externe',
    'referencia, referencia de pago',
    'referencia de pagamento',
    'kumbukumbu, rejea',
    'referenz, zahlungsreferenz',
  ],
  sms_message: [
    'sms message, sms, message, sms text, message text, text, text message',
    'texte, texte sms, texte du sms, texte du message, message sms',
    'mensaje, mensaje sms, texto del mensaje, texto sms',
    'mensagem, mensagem sms, texto da mensagem, texto',
    'ujumbe, ujumbe wa sms, ujumbe wa simu',
    'nachricht, nachrichtentext, sms nachricht, text der sms',
  ],
};

/**
 * How languages combine a name with "number": "phone number", "n° de téléphone", "nambari ya simu", "Telefonnummer".
 */
const numbered: readonly ((name: string) => string)[] = [
  (name) => `${name} number`,
  (name) => `${name} no`,
  (name) => `${name} num`,
  (name) => `no ${name}`,
  (name) => `no de ${name}`,
  (name) => `no do ${name}`,
  (name) => `numero ${name}`,
  (name) => `numero de ${name}`,
  (name) => `numero do ${name}`,
  (name) => `numero del ${name}`,
  (name) => `numero du ${name}`,
  (name) => `nambari ya ${name}`,
  (name) => `namba ya ${name}`,
  (name) => `${name} nummer`,
  (name) => `${name} nr`,
];

/**
 * With "number" these mean a phone number. Without it, "airtime" and "top up" mean an amount, and a contact may be a
 * person.
 */
const onlyNumbered = new Set([
  ...['airtime', 'top up', 'contact', 'contacto', 'contato', 'mawasiliano'],
  ...['mobilfunk', 'ruf', 'mobilruf'],
]);

const fieldByName = new Map<string, Field>();
for (const [field, languages] of Object.entries(names) as [Field, readonly string[]][]) {
  for (const name of languages.flatMap((line) => line.split(', '))) {
    const isNumbered = field === 'phone_number' || field === 'reference';
    const forms = isNumbered ? numbered.map((withNumber) => withNumber(name)) : [];
    if (field !== 'phone_number' || !onlyNumbered.has(name)) forms.push(name);
    for (const form of forms.map(plainName)) fieldByName.set(form, field).set(form.replaceAll(' ', ''), field);
  }
}

/** The meaning of a header by its name alone. An amount may include its currency: "Amount (KES)". */
export function meaningOf(header: string): Field | null {
  return fieldNamed(header) ?? (isAmount(headerCurrency(header)?.name) ? 'amount' : null);
}

/** The currency in the header of an amount column, which may be `cfaFranc`; null for none. */
export function currencyOfAmounts(header: string): string | null {
  const named = headerCurrency(header);
  return named !== null && (named.isCertain || isAmount(named.name)) ? named.currency : null;
}

/** Whether a column may contain a field, by a part of its name, although it is not a known name of that field. */
export function mayBeCalled(header: string, field: Field): boolean {
  return meaningOf(header) === null && hasWordOf(plainName(header), field);
}

/** Whether a column may contain currencies, by a part of its name, although it is not a known name for them. */
export function mayNameCurrencies(header: string): boolean {
  return /currenc|\bccy\b|\bcurr\b|devise|monnaie|moneda|divisa|moeda|sarafu|wahrung|waehrung/.test(plainName(header));
}

function isAmount(name = ''): boolean {
  return fieldNamed(name) === 'amount';
}

function fieldNamed(header: string): Field | undefined {
  const name = plainName(header);
  return fieldByName.get(name) ?? fieldByName.get(name.replaceAll(' ', ''));
}
