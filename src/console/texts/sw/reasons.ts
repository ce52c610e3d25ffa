import type { reasons as english } from '../en/reasons.ts';

export const reasons: Record<keyof typeof english, string> = {
  'draft.not_payable': 'Faili haiwezi kulipwa jinsi ilivyo',
  'reason.EMPTY': 'Faili ni tupu.',
  'reason.NO_ROWS': 'Faili ina kichwa, lakini haina safu chini yake.',
  'reason.NOT_A_TABLE':
    'Hii ni {kind, select, pdf {hati ya PDF} old_excel {faili ya zamani ya Excel (.xls) au yenye nenosiri} image {picha} page {ukurasa wa wavuti} spreadsheet {lahajedwali ya programu nyingine} archive {faili iliyobanwa} other {faili ya aina nyingine}}, si jedwali. Hifadhi jedwali kama faili ya Excel (.xlsx) au “CSV UTF-8”.',
  'reason.ENCODING':
    'Maandishi ya faili hayasomeki: faili imeharibika au usimbaji wake haujulikani. Ihifadhi tena kama “CSV UTF-8”.',
  'reason.DAMAGED': 'Faili imeharibika au haijakamilika. Ihifadhi tena, kisha upakie faili hiyo.',
  'reason.PACKED_TWICE': 'Faili imebanwa mara mbili. Ifungue mara moja, kisha upakie faili iliyo ndani.',
  'reason.TOO_LARGE': 'Faili ni kubwa kuliko {bytes}. Igawanye, au kama ni ya Excel ihifadhi kama “CSV UTF-8”.',
  'reason.TOO_MANY_ROWS': 'Faili ina zaidi ya safu {rows}. Igawanye.',
  'reason.TOO_WIDE': 'Faili ina zaidi ya safuwima {columns}. Ondoa zisizohitajika.',
  'reason.QUOTE_OPEN':
    'Alama ya nukuu (") haijafungwa katika safu inayoanza kwenye mstari {line}. Isahihishe au uhifadhi jedwali tena.',
  'reason.ONE_COLUMN':
    'Jedwali lote liko katika safuwima moja. Katika lahajedwali, tumia “Text to Columns”, kisha ulihifadhi tena.',
  'reason.HEADER_LINE': 'Mstari {line} ulitajwa kuwa kichwa, lakini ni mtupu au haupo.',
  'reason.COLUMN_MISSING':
    'Hakuna safuwima iliyopatikana kwa: {fields}. Mstari wa kwanza lazima utaje safuwima; unasema: {header}',
  'reason.COLUMN_UNCLEAR': 'Kila moja ya safuwima {columns} inaweza kuwa: {field}.',
  'reason.COLUMN_TWICE': 'Safuwima mbili zinaitwa “{column}”. Ipe kila moja jina lake katika mstari wa kwanza.',
  'reason.COLUMN_HIDDEN':
    'Safuwima “{column}” inaweza kuwa: {field}. Imefichwa katika laha: ionyeshe na uangalie kilichomo.',
  'reason.COLUMN_UNKNOWN': 'Safuwima “{column}” ilichaguliwa kwa {field}, lakini faili haina safuwima hiyo.',
  'reason.COLUMN_NAME': 'Safuwima inaitwa “{column}”, jina lisiloruhusiwa. Ipe jina lingine.',
  'reason.COLUMN_SHARED': 'Safuwima “{column}” inasomwa kwa njia zaidi ya moja: {fields}.',
  'reason.CURRENCY_UNREAD':
    'Huenda sarafu iko katika safuwima {columns}, ambayo haisomwi. Eleza maana ya safuwima hiyo.',
  'reason.SHEET_UNKNOWN': 'Faili haina laha “{sheet}”. Laha zake ni: {sheets}.',
  'reason.SHEET_UNCLEAR': 'Zaidi ya laha moja ina safu za kulipa: {sheets}. Chagua moja.',
  'reason.SUM_TOO_LARGE': 'Jumla ya kiasi inazidi {amount} {currency}, kiwango cha juu cha faili moja. Igawanye.',
  'reason.ROWS_EXPECTED': 'Faili inapaswa kuwa na safu {expected}, lakini ina {rows}. Huenda imekatwa: itoe tena.',
  'reason.SUM_EXPECTED':
    'Jumla ya kiasi inapaswa kuwa {amount} {currency}, lakini ni {sum} {currency}. Huenda faili imekatwa: itoe tena.',
  'reason.END_MISSING': 'Mstari wa mwisho wa faili hauanzi na “{word}”. Huenda faili imekatwa: itoe tena.',
  'reason.END_ROWS':
    'Mstari wa mwisho ({line}) unataja idadi ya safu: {stated}. Lakini faili ina {rows}. Huenda imekatwa: itoe tena.',
  'reason.END_SUM':
    'Mstari wa mwisho ({line}) unataja jumla {stated}, lakini jumla ya kiasi ni {written}. Huenda faili imekatwa: itoe tena.',
  'reason.TOTAL_UNREADABLE':
    'Jumla katika mstari {line} haiwezi kulinganishwa: kiasi katika mstari {other_line} hakisomeki.',
  'reason.TOTAL_CURRENCY': 'Jumla katika mstari {line} haitaji sarafu, lakini safu zilizo juu yake ni za {currencies}.',
  'reason.TOTAL_WRONG': 'Jumla katika mstari {line} ni {stated}, lakini safu zilizo juu yake zina jumla ya {written}.',
  'reason.TOTAL_PARTIAL':
    'Jumla ya mwisho, katika mstari {line}, haihesabu safu zote. Safu zenye kiasi chini yake: {rows}.',
  'reason.ABOVE_HEADER': 'Mistari iliyo juu ya kichwa, hadi mstari {line}, haikusomwa: {texts}',
  'reason.SHEETS_UNREAD': 'Laha “{sheet}” pekee ndiyo iliyosomwa. Hazikusomwa: {sheets}.',
  'reason.ROWS_HIDDEN':
    'Safu zilizofichwa katika laha zinasomwa kama nyingine: {count}, ya kwanza katika mstari {line}. Ondoa zisizopaswa kulipwa.',
  'reason.ROWS_STRUCK':
    'Safu zilizokatwa kwa mstari katika laha zinasomwa kama nyingine: {count}, ya kwanza katika mstari {line}. Ondoa zisizopaswa kulipwa.',
  'reason.DATES':
    'Kumbukumbu zilizohifadhiwa kama tarehe zinasomwa jinsi zinavyoonyeshwa: {count}, ya kwanza katika mstari {line} (“{text}”). Lahajedwali hugeuza maandishi kama “1-24” kuwa tarehe.',
};
