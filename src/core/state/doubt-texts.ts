/** When rows in doubt are looked up. The text is true whether or not a program works on the batch now. */
export const lookedUp = 'looked up again while airbatch works on the batch';

/** Why a row is in doubt. Every report shows it with the row until the service or a person says what happened. */
export const doubtReason = `It is not known whether this was paid; it is ${lookedUp}.`;
