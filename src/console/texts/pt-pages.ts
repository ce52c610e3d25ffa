import { approval } from './pt/approval.ts';
import { audit } from './pt/audit.ts';
import { batch } from './pt/batch.ts';
import { doubts } from './pt/doubts.ts';
import { draft } from './pt/draft.ts';
import { events } from './pt/events.ts';
import { jobs } from './pt/jobs.ts';
import { reconciliation } from './pt/reconciliation.ts';
import { reports } from './pt/reports.ts';
import { rows } from './pt/rows.ts';
import { settings } from './pt/settings.ts';
import { situation } from './pt/situation.ts';
import { wallets } from './pt/wallets.ts';
import { refusalTexts } from './pt-refusals.ts';

/** What can be wrong with a row, by the code of the problem: in one sentence, and with what the row shows. */
const problems = {
  'problem.ROW_TOO_LONG': 'A linha tem mais células do que o cabeçalho',
  'problem.ROW_TOO_LONG.more':
    'Tem {cells} células e o ficheiro tem {columns, plural, one {# coluna} other {# colunas}}: os valores podem estar nas erradas.',
  'problem.ROW_CUT_SHORT': 'O ficheiro acaba a meio da linha',
  'problem.ROW_CUT_SHORT.more':
    'Tem {cells} de {columns} células. Exporte o ficheiro de novo: podem faltar mais linhas.',
  'problem.ROW_SWALLOWED': 'Uma célula parece conter outras linhas do ficheiro',
  'problem.ROW_SWALLOWED.more': 'Retire as aspas que não estão fechadas.',
  'problem.QUOTE_STRAY': 'Umas aspas soltas tornam incerto o fim de uma célula',
  'problem.FORMULA_WITHOUT_VALUE': 'Uma célula contém uma fórmula em vez do valor',
  'problem.FORMULA_WITHOUT_VALUE.more': 'Escreva o valor que a folha de cálculo mostra.',
  'problem.PHONE_MISSING': 'Falta o número de telefone',
  'problem.PHONE_NOT_A_NUMBER': 'O número de telefone tem caracteres que não são algarismos',
  'problem.PHONE_NOT_A_NUMBER.more': 'Escreva-o com o indicativo e só algarismos, por exemplo +254712345678.',
  'problem.PHONE_DIGITS_LOST': 'Uma folha de cálculo destruiu algarismos do número',
  'problem.PHONE_DIGITS_LOST.more': 'Obtenha o número na origem: os algarismos perdidos não se recuperam.',
  'problem.PHONE_ROUNDED': 'Uma folha de cálculo pode ter arredondado o número',
  'problem.PHONE_ROUNDED.more': 'Compare-o com a origem.',
  'problem.PHONE_SEVERAL': 'A célula tem mais do que um número',
  'problem.PHONE_SEVERAL.more': 'Dê a cada número uma linha própria.',
  'problem.PHONE_NEEDS_COUNTRY': 'O número não tem indicativo e o seu país não é conhecido',
  'problem.PHONE_NEEDS_COUNTRY.more': 'Acrescente o indicativo ou escolha o país do ficheiro inteiro.',
  'problem.PHONE_AMBIGUOUS': 'O número pode ser lido de duas formas',
  'problem.PHONE_AMBIGUOUS.more': 'Pode ser {one} ou {other}.',
  'problem.PHONE_INVALID': 'Não existe tal número de telefone',
  'problem.PHONE_INVALID.more':
    '{why, select, short {É curto demais: pode faltar um algarismo.} long {É longo demais: pode ter um algarismo a mais.} nowhere {Nenhum país tem números assim.} other {Os primeiros algarismos não pertencem a nenhuma rede.}}',
  'problem.PHONE_NOT_MOBILE': 'Não é um número de telemóvel',
  'problem.PHONE_NOT_MOBILE.more': 'O crédito só vai para telemóveis.',
  'problem.PHONE_OTHER_COUNTRY': 'O número pertence a um país diferente do da linha',
  'problem.PHONE_OTHER_COUNTRY.more': 'Pertence a {country} e a linha diz {row_country}.',
  'problem.COUNTRY_UNKNOWN': 'Não existe tal país',
  'problem.COUNTRY_UNKNOWN.more': 'Escreva o código de duas letras, por exemplo KE para o Quénia.',
  'problem.COUNTRY_NOT_ALLOWED': 'O país não está entre os permitidos',
  'problem.COUNTRY_NOT_ALLOWED.more': '{country}: não são permitidos pagamentos aqui.',
  'problem.NETWORK_MISSING': 'Falta a rede',
  'problem.NETWORK_MISSING.more': 'Preencha-a ou escolha-a para o ficheiro inteiro.',
  'problem.NETWORK_UNKNOWN': 'Não existe tal rede no país do número',
  'problem.NETWORK_UNKNOWN.more': 'Em {country}: {networks}.',
  'problem.NETWORK_AMBIGUOUS': 'O nome serve a mais do que uma rede',
  'problem.NETWORK_AMBIGUOUS.more': 'Escreva o identificador da certa: {networks}.',
  'problem.NETWORK_UNRESOLVED': 'A rede é dada pelo nome e o serviço não deu a sua lista',
  'problem.NETWORK_UNRESOLVED.more': 'Tente mais tarde ou escreva o identificador.',
  'problem.NOTHING_TO_PAY': 'A linha não tem montante nem produto',
  'problem.AMOUNT_AND_PRODUCT': 'A linha tem um montante e um produto',
  'problem.AMOUNT_AND_PRODUCT.more': 'Deixe uma das duas células vazia.',
  'problem.AMOUNT_NOT_A_NUMBER': 'O montante não é um número',
  'problem.AMOUNT_NOT_A_NUMBER.more':
    '{why, select, shortened {Uma folha de cálculo encurtou-o: podem faltar algarismos.} date {É uma data: uma folha de cálculo pode ter mudado um número.} space {Um carácter perdeu-se ao guardar o ficheiro, talvez um espaço entre os milhares. Guarde-o como “CSV UTF-8”, ou escreva o montante sem ele.} percent {É uma percentagem.} format {A folha mostra outro número do que a célula contém.} other {Escreva-o com algarismos e ponto decimal, por exemplo 1250.50.}}',
  'problem.AMOUNT_AMBIGUOUS': 'O montante pode ser lido de duas formas',
  'problem.AMOUNT_AMBIGUOUS.more':
    '{why, select, split {Pode ser {one}, ou {other} dividido em duas células.} other {Pode ser {one} ou {other}. Escolha o sinal decimal.}}',
  'problem.AMOUNT_DECIMALS': 'O montante tem mais casas decimais do que a moeda permite',
  'problem.AMOUNT_DECIMALS.more':
    '{currency} tem {decimals, plural, one {# casa decimal} other {# casas decimais}}: arredonde o montante.',
  'problem.AMOUNT_NOT_POSITIVE': 'O montante é zero ou negativo',
  'problem.AMOUNT_TOO_SMALL': 'O montante está abaixo do mínimo definido',
  'problem.AMOUNT_TOO_SMALL.more': 'Uma linha deve receber pelo menos {amount} {currency}.',
  'problem.AMOUNT_TOO_LARGE': 'O montante está acima do máximo',
  'problem.AMOUNT_TOO_LARGE.more':
    '{why, select, limit {Uma linha pode receber no máximo {amount} {currency}.} other {É maior do que qualquer pagamento: veja se está na coluna certa.}}',
  'problem.CURRENCY_MISSING': 'Falta a moeda',
  'problem.CURRENCY_MISSING.more':
    '{why, select, franc {Pode ser XOF (África Ocidental) ou XAF (África Central).} other {Escreva o código de três letras, por exemplo {example}, ou escolha-o para o ficheiro inteiro.}}',
  'problem.CURRENCY_UNKNOWN': 'Não existe tal moeda',
  'problem.CURRENCY_CONFLICT': 'São indicadas duas moedas para um montante',
  'problem.CURRENCY_CONFLICT.more': 'A moeda é {currency} e o montante está escrito com {written}.',
  'problem.CURRENCY_OF_OTHER_COUNTRY': 'A rede é paga noutra moeda',
  'problem.CURRENCY_OF_OTHER_COUNTRY.more': 'É paga em {network_currency} e o montante está em {currency}.',
  'problem.PRODUCT_INVALID': 'Isto não pode ser o identificador de um produto',
  'problem.PRODUCT_UNKNOWN': 'A rede não tem tal produto',
  'problem.REFERENCE_INVALID': 'A referência não pode ser usada',
  'problem.REFERENCE_INVALID.more': 'Dê outra à linha ou deixe a célula vazia.',
  'problem.REFERENCE_TWICE': 'Mais do que uma linha tem a mesma referência',
  'problem.REFERENCE_TWICE.more': 'A linha {other_line} do ficheiro também a tem: dê a cada linha a sua ou exclua uma.',
  'problem.SMS_NOT_A_TEXT': 'A mensagem é apenas um sim ou não',
  'problem.SMS_NOT_A_TEXT.more': 'Seria enviada a própria célula: escreva o texto ou deixe-a vazia.',
  'problem.SMS_TOO_LONG': 'A mensagem é longa demais',
  'problem.SMS_TOO_LONG.more': 'Tem {length} caracteres e podem ser enviados {most}.',
  'problem.TOTAL_LINE': 'A linha é o total das outras',
  'problem.DUPLICATE': 'O mesmo número recebe duas vezes o mesmo pagamento',
  'problem.DUPLICATE.more':
    'A linha {other_line} do ficheiro paga o mesmo: exclua uma ou mande libertá-la depois da aprovação.',
  'problem.NUMBER_MAXIMUM': 'Um número recebe mais do que o máximo definido',
  'problem.NUMBER_MAXIMUM.more': 'Um número pode receber {amount} {currency} de um ficheiro.',
  'problem.ALREADY_PAID': 'Um lote anterior da série já pagou esta linha',
  'problem.ALREADY_PAID.more':
    'No lote {batch}, {earlier_line, select, none {linha {row}} other {linha {earlier_line} do seu ficheiro}}.',
  'problem.ALREADY_SENT': 'Um lote anterior da série enviou esta linha e ela não terminou',
  'problem.FAILED_BEFORE': 'Um lote anterior da série tentou esta linha e ela falhou',
  'problem.MAY_BE_PAID': 'A linha tinha falhado, mas o serviço diz agora que pode estar paga',
  'problem.NOT_LOOKED_UP': 'O serviço não disse se esta linha já foi paga',
  'problem.REFERENCE_REUSED': 'Um lote anterior da série usou a referência para outro pagamento',
  'problem.SENT_LATELY': 'Outro lote enviou há pouco o mesmo pagamento a este número',
  'problem.SENT_LATELY.more':
    '{why, select, sent {Em {day}, no lote {batch}, {earlier_line, select, none {linha {row}} other {linha {earlier_line} do seu ficheiro}}.} lost {Em {day}, por um pagamento que só o serviço conhece.} other {A lista do serviço não pôde ser lida.}}',
  'problem.PAID_OTHERWISE': 'A série já enviou a este número outro pagamento, que não está neste ficheiro',
  'problem.RECIPIENT_MAXIMUM': 'Com esta linha o número receberia mais do que o máximo de todos os lotes',
  'problem.RECIPIENT_MAXIMUM.more':
    'Receberia {sum} {currency} em {days, plural, one {# dia} other {# dias}}; o máximo é de {amount} {currency}.',
  'problem.SKIPPED_BY_PERSON': 'Uma pessoa decidiu não pagar esta linha',
};

/** Why a whole file cannot be paid, and what a person should know about one, by code. */
const reasons = {
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
  'reason.TOO_WIDE': 'O ficheiro tem mais de {columns} colunas. Remova as de que ninguém precisa.',
  'reason.QUOTE_OPEN':
    'Há aspas (") por fechar na linha da tabela que começa na linha {line} do ficheiro. Corrija-as ou guarde a tabela de novo.',
  'reason.ONE_COLUMN':
    'Toda a tabela está numa só coluna. Numa folha de cálculo, use “Texto para colunas” e guarde-a de novo.',
  'reason.HEADER_LINE': 'A linha {line} foi indicada como cabeçalho, mas está vazia ou não existe.',
  'reason.COLUMN_MISSING':
    'Não foi encontrada nenhuma coluna para: {fields}. Na linha dos nomes das colunas está: {header}',
  'reason.COLUMN_UNCLEAR': 'Cada uma das colunas {columns} pode ser: {field}.',
  'reason.COLUMN_TWICE': 'Duas colunas chamam-se “{column}”. Dê a cada uma o seu próprio nome.',
  'reason.COLUMN_HIDDEN': 'A coluna “{column}” pode ser: {field}. A folha oculta-a: mostre-a e verifique o que contém.',
  'reason.COLUMN_UNKNOWN': 'A coluna “{column}” foi escolhida para {field}, mas o ficheiro não tem essa coluna.',
  'reason.COLUMN_NAME': 'Uma coluna chama-se “{column}”, o que não é permitido. Dê-lhe outro nome.',
  'reason.COLUMN_SHARED': 'A coluna “{column}” é lida de mais de uma forma: {fields}.',
  'reason.OWN_RESULTS':
    'Estes são os resultados de um lote, com linhas que já foram pagas: não é um ficheiro para pagar. Para corrigir linhas, use uma cópia de failed.csv ou de failed.xlsx.',
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
    'O total da linha {line} não pode ser comparado: o montante da linha {other_line} ou a sua moeda não pode ser lido.',
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
  'reason.OWN_BATCH':
    '{did, select, prepared {Preparou este lote} other {Submeteu este lote}} (com o nome {name}): outra pessoa tem de decidir.',
  'reason.OWN_RELEASE':
    'Com estas linhas, o lote precisa de aprovação, e {did, select, prepared {foi preparado por si} other {foi submetido por si}} (com o nome {name}): outra pessoa tem de as libertar.',
  'reason.TIER_RELEASE':
    'Com estas linhas, o lote precisa da aprovação de {approvers} pessoas. Liberte menos, ou ignore-as e submeta o ficheiro de novo.',
  'reason.APPROVED_ALREADY': 'Já aprovou este lote (com o nome {name}): agora outra pessoa tem de o aprovar.',
  'reason.APPROVAL_NEEDED': 'Este lote precisa da aprovação de outra pessoa.',
  'reason.NEXT_COMPARE': 'Compare à mão e pergunte ao serviço com o identificador do pagamento.',
  'reason.NEXT_AMOUNT': 'Deixe de pagar por esta conta e pergunte ao serviço com o identificador do pagamento.',
  'reason.NEXT_COST': 'Pergunte ao serviço qual está certo: um débito pode ter sido corrigido depois.',
  'reason.NEXT_REFUNDED':
    'O destinatário pode não ter recebido o crédito. Se for assim, pague de novo com uma nova referência.',
  'reason.NEXT_DUPLICATED':
    'A linha pode estar paga duas vezes: deixe de pagar por esta conta e peça ao serviço que anule um dos pagamentos.',
  'reason.NEXT_REFERENCE': 'Pergunte ao serviço com a referência.',
  'reason.NEXT_OTHER_PROGRAM': 'Descubra quem mais usa esta conta.',
  'reason.NEXT_OTHER_LEDGER':
    'Procure outro livro-razão seu que pague por esta conta: uma segunda instalação ou uma cópia de segurança restaurada.',
  'reason.NEXT_UNREADABLE': 'Pergunte ao serviço o que é, com o identificador do pagamento.',
  'reason.NEXT_EARLIER':
    'Um pagamento anterior desta linha contava como falhado e a linha foi enviada de novo: pode estar paga duas vezes. Peça ao serviço que anule um dos pagamentos.',
  'reason.NEXT_UNPAID': 'O serviço já não diz que foi paga: pergunte-lhe com o identificador do pagamento.',
  'reason.NEXT_MAYBE_PAID':
    'O serviço pode tê-la pago: não a pague de novo e pergunte ao serviço com o identificador do pagamento.',
  'reason.NEXT_RESOLVE': 'Uma pessoa decide sobre a linha {row}: abra-a.',
  'reason.NEXT_LOOK_UP': 'Ainda pode mudar. Para consultar já a linha {row}, abra-a ou retome o lote.',
};

/** What a slot of a job has brought, why it has not, or what it waits for, by code. */
const slots = {
  'reason.FILE_MISSING': 'Não há nenhum ficheiro {file} em {folder}.',
  'reason.FILE_FOLDER': '{file} é uma pasta, não um ficheiro.',
  'reason.UNREADABLE': 'Não foi possível ler o ficheiro: {error}.',
  'reason.READING_ABANDONED': 'O programa terminou durante a leitura do ficheiro. Submeta-o de novo.',
  'reason.SLOT_BATCH':
    '{why, select, waits {{file} é o lote {batch}, que aguarda aprovação. Linhas a pagar: {rows}.} other {{file} é o lote {batch}. Linhas a pagar: {rows}.}}',
  'reason.SLOT_SAME_ROWS':
    'Linhas que também estão no lote {batch} da mesma série: {rows}. Cada uma é paga uma só vez.',
  'reason.SLOT_TEXTS_LOST': 'Linhas cuja mensagem não é enviada, porque a versão 1 envia a sua: {rows}.',
  'reason.SLOT_LATE': 'Estará concluído por volta de {done_at}, ou seja, atrasado: estava previsto para {due_at}.',
  'reason.SLOT_LATE_UNKNOWN': 'Deve estar concluído até {due_at}; não se sabe se estará.',
  'reason.SLOT_MAKES_LATE':
    'Atrasa o lote {batch}, que estará concluído por volta de {done_at} e estava previsto para {due_at}.',
  'reason.SLOT_REJECTED': 'Não foi possível ler {file}.',
  'reason.SLOT_CORRECT': 'Corrija o ficheiro e ponha-o em “inbox” antes de executar a tarefa de novo.',
  'reason.SLOT_NOT_ARCHIVED': 'Não foi possível mover {file}: {error}.',
  'reason.SLOT_NOT_TAKEN':
    'Não é possível importar {file}: {why, select, link {é uma ligação. Ponha lá o próprio ficheiro.} name {o nome é ilegível. Dê-lhe outro.} other {{error}.}}',
  'reason.SLOT_NOT_BROUGHT': 'Estes ficheiros não foram importados e ainda estão em “working”: {files}.',
  'reason.SLOT_NO_FILE': 'Não há nenhum ficheiro.',
  'reason.SLOT_WRITING': 'Estes ficheiros ainda estão a ser escritos: {files}.',
  'reason.SLOT_OTHER_NAMES': 'A pasta “inbox” tem ficheiros cujo nome não corresponde a “{pattern}”: {files}.',
  'reason.SLOT_NOT_FILES': 'Estes elementos da pasta “inbox” não são pagos, porque não são ficheiros: {files}.',
  'reason.SLOT_BEFORE': 'Os ficheiros foram importados antes.',
  'reason.SLOT_PARTIAL':
    '{file} ainda estava a ser escrito quando foi lido, e o lote {batch} só tem uma parte dele. Ponha o ficheiro inteiro em “inbox” e execute a tarefa de novo: o que foi pago é ignorado.',
  'reason.SLOT_COMMAND':
    'O comando {program} não deu nenhum ficheiro: {why, select, exit {falhou com o código {end}.} exit_said {falhou com o código {end} e disse “{error}”.} size {escreveu mais de {limit} MiB e foi parado.} time {demorou mais de {limit} s e foi parado.} stopped {foi parado com o airbatch.} other {{error}.}}',
  'reason.SLOT_FOLDER':
    'Não é possível usar a pasta {folder}: {why, select, gone {já não existe.} inbox {a sua pasta “inbox” já não existe.} other {{error}.}}',
  'reason.SLOT_RECONCILED':
    'Pagamentos comparados: {count}. {why, select, agrees {Tudo coincide.} no_wallets {O livro-razão e o serviço coincidem; as carteiras não foram comparadas.} open {Uma pessoa tem de ver alguns deles.} other {As carteiras não batem certo.}} Relatório: {folder}',
  'reason.SLOT_BACKUP':
    'A cópia de segurança {file} está feita; cópias antigas removidas: {count}. {why, select, made {Não foi experimentada.} good {Pode ser restaurada.} other {O livro-razão que contém não coincide com as suas cadeias de auditoria.}}',
  'reason.SLOT_MISSED': 'Perdida porque nenhum programa estava a correr, e não executada depois.',
  'reason.SLOT_STOPPED': 'Foi parada com o airbatch e continua no próximo arranque.',
  'reason.SLOT_RETRIED': 'Foi tentada de novo durante {minutes, plural, one {# minuto} other {# minutos}}.',
  'reason.SLOT_TROUBLE':
    '{code, select, ACCOUNT_BUSY {Outro programa está a trabalhar para esta conta.} CREDENTIALS_REJECTED {O serviço recusa as credenciais da conta.} FENCED {Outro processo assumiu o trabalho.} LEDGER_BUSY {Outro programa está a usar o livro-razão.} LEDGER_FULL {O disco do livro-razão está cheio.} LEDGER_IO {Não foi possível escrever no livro-razão.} SERVICE_UNREACHABLE {O serviço não responde.} other {{error}}}',
};

/** The texts of failures, and of pages that are not opened first: such a page loads them (`pages.ts`). */
export const texts = {
  ...wallets,
  ...situation,
  ...rows,
  ...jobs,
  ...events,
  ...doubts,
  ...batch,
  ...approval,
  ...audit,
  ...draft,
  ...reconciliation,
  ...reports,
  ...settings,
  ...problems,
  ...reasons,
  ...slots,
  ...refusalTexts,
};
