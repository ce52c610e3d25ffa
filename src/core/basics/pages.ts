/**
 * Records page by page: `read` returns those after `last`, at most `limit`; `last` is undefined for the first page. A
 * page that is not full is the last one.
 */
export async function* pagesOf<Item>(
  limit: number,
  read: (last: Item | undefined, limit: number) => Promise<Item[]>,
): AsyncGenerator<Item[]> {
  for (let page: Item[] | undefined; page === undefined || page.length === limit; ) {
    page = await read(page?.at(-1), limit);
    if (page.length > 0) yield page;
  }
}
