import type { reasons as english } from '../en/reasons.ts';

export const reasons: Record<keyof typeof english, string> = {
  'draft.not_payable': 'O ficheiro não pode ser pago como está',
  'reason.EMPTY': 'O ficheiro está vazio.',
  'reason.NO_ROWS': 'O ficheiro tem um cabeçalho, mas nenhuma linha abaixo dele.',
  'reason.NOT_A_TABLE':
    'Isto é {kind, select, pdf {um documento PDF} old_excel {um livro Excel antigo (.xls) ou com palavra-passe} image {uma imagem} page {uma página web} spreadsheet {uma folha de cálculo de outro programa} archive {um ficheiro comprimido} other {outro tipo de ficheiro}}, não uma tabela. Guarde a tabela como livro Excel (.xlsx) ou como “CSV UTF-8”.',
  'reason.ENCODING':
    'O texto do ficheiro não pode ser lido: o ficheiro está danificado ou a sua codificação é desconhecida. Guarde-o de novo como “CSV UTF-8”.',
  'reason.DAMAGED': 'O ficheiro está danificado ou incompleto. Guarde-o de novo e carregue esse ficheiro.',
  'reason.PACKED_TWICE':
    'O ficheiro está comprimido duas vezes. Descomprima-o uma vez e carregue o ficheiro que está dentro.',
  'reason.TOO_LARGE': 'O ficheiro tem mais de {bytes}. Divida-o ou, se for um livro, guarde-o como “CSV UTF-8”.',
  'reason.TOO_MANY_ROWS': 'O ficheiro tem mais de {rows} linhas. Divida-o.',
  'reason.TOO_WIDE': 'O ficheiro tem mais de {columns} colunas. Remova as que ninguém precisa.',
  'reason.QUOTE_OPEN':
    'Uma aspa (") não está fechada na linha que começa na linha {line}. Corrija-a ou guarde a tabela de novo.',
  'reason.ONE_COLUMN':
    'Toda a tabela está numa só coluna. Numa folha de cálculo, use “Texto para colunas” e guarde-a de novo.',
  'reason.HEADER_LINE': 'A linha {line} foi indicada como cabeçalho, mas está vazia ou não existe.',
  'reason.COLUMN_MISSING':
    'Não foi encontrada nenhuma coluna para: {fields}. A primeira linha tem de dar nome às colunas; nela está: {header}',
  'reason.COLUMN_UNCLEAR': 'Cada uma das colunas {columns} pode ser: {field}.',
  'reason.COLUMN_TWICE': 'Duas colunas chamam-se “{column}”. Dê a cada uma o seu próprio nome na primeira linha.',
  'reason.COLUMN_HIDDEN': 'A coluna “{column}” pode ser: {field}. A folha oculta-a: mostre-a e verifique o que contém.',
  'reason.COLUMN_UNKNOWN': 'A coluna “{column}” foi escolhida para {field}, mas o ficheiro não tem essa coluna.',
  'reason.COLUMN_NAME': 'Uma coluna chama-se “{column}”, o que não é permitido. Dê-lhe outro nome.',
  'reason.COLUMN_SHARED': 'A coluna “{column}” é lida de mais de uma forma: {fields}.',
  'reason.CURRENCY_UNREAD': 'A moeda pode estar na coluna {columns}, que não é lida. Indique o significado da coluna.',
  'reason.SHEET_UNKNOWN': 'O livro não tem a folha “{sheet}”. As suas folhas são: {sheets}.',
  'reason.SHEET_UNCLEAR': 'Mais de uma folha tem linhas a pagar: {sheets}. Escolha uma.',
  'reason.SUM_TOO_LARGE': 'A soma dos montantes ultrapassa {amount} {currency}, o máximo de um ficheiro. Divida-o.',
  'reason.ROWS_EXPECTED':
    'O ficheiro devia ter {expected} linhas, mas tem {rows}. Pode estar cortado: exporte-o de novo.',
  'reason.SUM_EXPECTED':
    'A soma dos montantes devia ser {amount} {currency}, mas é {sum} {currency}. O ficheiro pode estar cortado: exporte-o de novo.',
  'reason.END_MISSING':
    'A última linha do ficheiro não começa por “{word}”. O ficheiro pode estar cortado: exporte-o de novo.',
  'reason.END_ROWS':
    'A última linha ({line}) indica o número de linhas: {stated}. Mas o ficheiro tem {rows}. Pode estar cortado: exporte-o de novo.',
  'reason.END_SUM':
    'A última linha ({line}) indica a soma {stated}, mas a dos montantes é {written}. O ficheiro pode estar cortado: exporte-o de novo.',
  'reason.TOTAL_UNREADABLE':
    'O total da linha {line} não pode ser comparado: o montante da linha {other_line} não pode ser lido.',
  'reason.TOTAL_CURRENCY': 'O total da linha {line} não indica moeda, mas as linhas acima estão em {currencies}.',
  'reason.TOTAL_WRONG': 'O total da linha {line} é {stated}, mas a soma das linhas acima é {written}.',
  'reason.TOTAL_PARTIAL':
    'O último total, na linha {line}, não conta todas as linhas. Linhas com montante abaixo dele: {rows}.',
  'reason.ABOVE_HEADER': 'As linhas acima do cabeçalho, até à linha {line}, não foram lidas: {texts}',
  'reason.SHEETS_UNREAD': 'Só a folha “{sheet}” foi lida. Não lidas: {sheets}.',
  'reason.ROWS_HIDDEN':
    'As linhas que a folha oculta são lidas como as outras: {count}, a primeira na linha {line}. Remova o que não deve ser pago.',
  'reason.ROWS_STRUCK':
    'As linhas riscadas na folha são lidas como as outras: {count}, a primeira na linha {line}. Remova o que não deve ser pago.',
  'reason.DATES':
    'As referências que a folha guarda como datas são lidas como ela as mostra: {count}, a primeira na linha {line} (“{text}”). As folhas de cálculo transformam em datas textos como “1-24”.',
};
