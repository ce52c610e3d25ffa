/** What becomes of rows that two batches of one run have. */
export const eachPaidOnce = 'each is paid once, by the batch that sends it first';
