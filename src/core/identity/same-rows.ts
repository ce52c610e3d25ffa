/** What happens to rows that two batches of one run share. */
export const eachPaidOnce = 'each is paid once, by the batch that sends it first';
