import { plainName } from '../../core/text/plain-name.ts';

/** Headers of columns with people's names, without case, accents and punctuation. */
const wholeNames = new Set(
  [
    'name, full name, names, full names, person, employee, employee name, name of employee, staff, staff name, staff member',
    'worker, worker name, recipient name, beneficiary, beneficiary name, payee, payee name, member, member name, participant, participant name',
    'agent name, customer name, contact name, account name, recipient full name, employee full name, first and last name',
    'nom, nom complet, nom et prenom, noms et prenoms, nom et prenoms, nom prenom, prenom et nom, employe, nom de l employe, salarie, beneficiaire, nom du beneficiaire',
    'nombre, nombre completo, nombre y apellido, nombres y apellidos, empleado, nombre del empleado, beneficiario, nombre del beneficiario, trabajador',
    'nome, nome completo, funcionario, nome do funcionario, empregado, trabalhador, nome do beneficiario, colaborador',
    'jina, jina kamili, majina, majina kamili, jina la mfanyakazi, mfanyakazi, jina la mpokeaji',
    'vollstandiger name, mitarbeiter, mitarbeiterin, name des mitarbeiters, empfanger, name des empfangers, vor und nachname',
  ].flatMap((line) => line.split(', ')),
);
/** Headers that may also mean only the first or the last name. */
const partNames = new Set(['name', 'nom', 'nome', 'nombre']);
const firstNames = new Set(['first name', 'given name', 'prenom', 'prenoms', 'nombres', 'vorname', 'jina la kwanza']);
const lastNames = new Set([
  ...['last name', 'surname', 'family name', 'nom de famille', 'apellido', 'apellidos', 'sobrenome', 'apelido'],
  ...['nachname', 'jina la ukoo', 'jina la mwisho'],
]);

/**
 * The columns with the name of each row's person: one, or one for the first and one for the last name; none if unknown.
 */
export function personColumns(columns: readonly string[]): number[] {
  const plain = columns.map(plainName);
  const last = plain.findIndex((name) => lastNames.has(name));
  const first = plain.findIndex((name) => firstNames.has(name));
  const whole = plain.findIndex((name) => wholeNames.has(name));
  // Next to a first name, "Nom" is the last name; next to a last name, "Name" is the first name.
  const isPart = whole >= 0 && partNames.has(plain[whole] ?? '');
  if (whole >= 0 && !isPart) return [whole];
  const found = [first >= 0 || last < 0 ? first : whole, last >= 0 ? last : whole];
  return [...new Set(found)].filter((index) => index >= 0);
}

/** The name of a row's person, from its cells; null if it has none. */
export function personNamed(cells: readonly string[], columns: readonly number[]): string | null {
  const name = columns
    .map((index) => cells[index]?.trim() ?? '')
    .filter((part) => part !== '')
    .join(' ');
  return name === '' ? null : name;
}

/** Masks a name except for its first letter, so that a person who has the file can recognise it. */
export function maskedName(name: string): string {
  const [first = ''] = name.trim();
  return first === '' ? '' : `${first}***`;
}
