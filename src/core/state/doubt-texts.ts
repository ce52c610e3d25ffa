/**
 * When rows in doubt are looked up: true of a row whose batch a program works on, and of one whose batch nobody does.
 */
export const lookedUp = 'looked up again while airbatch works on the batch';

/**
 * Why a row is in doubt, as it stands with the row, in every report, for as long as the service or a person does not
 * tell.
 */
export const doubtReason = `It is not known whether this was paid; it is ${lookedUp}.`;
