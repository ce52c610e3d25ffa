import { approval } from './sw/approval.ts';
import { audit } from './sw/audit.ts';
import { batch } from './sw/batch.ts';
import { doubts } from './sw/doubts.ts';
import { draft } from './sw/draft.ts';
import { events } from './sw/events.ts';
import { jobs } from './sw/jobs.ts';
import { reconciliation } from './sw/reconciliation.ts';
import { reports } from './sw/reports.ts';
import { rows } from './sw/rows.ts';
import { settings } from './sw/settings.ts';
import { situation } from './sw/situation.ts';
import { wallets } from './sw/wallets.ts';
import { refusalTexts } from './sw-refusals.ts';

/** What can be wrong with a row, by the code of the problem: in one sentence, and with what the row shows. */
const problems = {
  'problem.ROW_TOO_LONG': 'Safu ina seli nyingi kuliko kichwa',
  'problem.ROW_TOO_LONG.more':
    'Ina seli {cells}, na faili ina {columns, plural, one {safuwima #} other {safuwima #}}: thamani zinaweza kuwa mahali pasipo sahihi.',
  'problem.ROW_CUT_SHORT': 'Faili inaishia katikati ya safu',
  'problem.ROW_CUT_SHORT.more':
    'Ina seli {cells} kati ya {columns}. Itoe faili tena: safu nyingine zinaweza kukosekana.',
  'problem.ROW_SWALLOWED': 'Seli inaonekana kuwa na safu nyingine za faili ndani yake',
  'problem.ROW_SWALLOWED.more': 'Ondoa alama ya nukuu isiyofungwa.',
  'problem.QUOTE_STRAY': 'Alama ya nukuu iliyopotea haionyeshi seli inaishia wapi',
  'problem.FORMULA_WITHOUT_VALUE': 'Seli ina fomula badala ya thamani yake',
  'problem.FORMULA_WITHOUT_VALUE.more': 'Andika thamani ambayo lahajedwali inaonyesha.',
  'problem.PHONE_MISSING': 'Nambari ya simu haipo',
  'problem.PHONE_NOT_A_NUMBER': 'Nambari ya simu ina herufi zisizo tarakimu',
  'problem.PHONE_NOT_A_NUMBER.more': 'Iandike kwa msimbo wa nchi na tarakimu tu, kwa mfano +254712345678.',
  'problem.PHONE_DIGITS_LOST': 'Lahajedwali imeharibu tarakimu za nambari ya simu',
  'problem.PHONE_DIGITS_LOST.more': 'Pata nambari tena kutoka chanzo chake: tarakimu zilizopotea hazirudi.',
  'problem.PHONE_ROUNDED': 'Huenda lahajedwali imekadiria nambari ya simu',
  'problem.PHONE_ROUNDED.more': 'Ilinganishe na chanzo chake.',
  'problem.PHONE_SEVERAL': 'Seli ina nambari za simu zaidi ya moja',
  'problem.PHONE_SEVERAL.more': 'Ipe kila nambari safu yake.',
  'problem.PHONE_NEEDS_COUNTRY': 'Nambari haina msimbo wa nchi, na nchi yake haijulikani',
  'problem.PHONE_NEEDS_COUNTRY.more': 'Ongeza msimbo wa nchi, au chagua nchi kwa faili nzima.',
  'problem.PHONE_AMBIGUOUS': 'Nambari inaweza kusomwa kwa njia mbili',
  'problem.PHONE_AMBIGUOUS.more': 'Inaweza kuwa {one} au {other}.',
  'problem.PHONE_INVALID': 'Hakuna nambari ya simu kama hiyo',
  'problem.PHONE_INVALID.more':
    '{why, select, short {Ni fupi mno: huenda tarakimu moja haipo.} long {Ni ndefu mno: huenda ina tarakimu ya ziada.} nowhere {Hakuna nchi yenye nambari kama hii.} other {Tarakimu zake za kwanza si za mtandao wowote.}}',
  'problem.PHONE_NOT_MOBILE': 'Nambari hii si ya simu ya mkononi',
  'problem.PHONE_NOT_MOBILE.more': 'Muda wa maongezi huenda kwa simu za mkononi tu.',
  'problem.PHONE_OTHER_COUNTRY': 'Nambari ni ya nchi nyingine kuliko safu inavyosema',
  'problem.PHONE_OTHER_COUNTRY.more': 'Ni ya {country}, na safu inasema {row_country}.',
  'problem.COUNTRY_UNKNOWN': 'Hakuna nchi kama hiyo',
  'problem.COUNTRY_UNKNOWN.more': 'Andika msimbo wa herufi mbili, kwa mfano KE kwa Kenya.',
  'problem.COUNTRY_NOT_ALLOWED': 'Nchi haimo kwenye zinazoruhusiwa',
  'problem.COUNTRY_NOT_ALLOWED.more': '{country} hairuhusiwi kulipwa hapa.',
  'problem.NETWORK_MISSING': 'Mtandao haupo',
  'problem.NETWORK_MISSING.more': 'Ujaze, au uuchague kwa faili nzima.',
  'problem.NETWORK_UNKNOWN': 'Hakuna mtandao kama huo katika nchi ya nambari',
  'problem.NETWORK_UNKNOWN.more': 'Katika {country}: {networks}.',
  'problem.NETWORK_AMBIGUOUS': 'Jina linafaa mitandao zaidi ya mmoja',
  'problem.NETWORK_AMBIGUOUS.more': 'Andika kitambulisho cha ulio sahihi: {networks}.',
  'problem.NETWORK_UNRESOLVED': 'Mtandao umetajwa kwa jina, na huduma haikutoa orodha yake',
  'problem.NETWORK_UNRESOLVED.more': 'Jaribu tena baadaye, au andika kitambulisho chake.',
  'problem.NOTHING_TO_PAY': 'Safu haina kiasi wala bidhaa',
  'problem.AMOUNT_AND_PRODUCT': 'Safu ina kiasi na bidhaa pamoja',
  'problem.AMOUNT_AND_PRODUCT.more': 'Acha moja ya seli mbili tupu.',
  'problem.AMOUNT_NOT_A_NUMBER': 'Kiasi si nambari',
  'problem.AMOUNT_NOT_A_NUMBER.more':
    '{why, select, shortened {Lahajedwali imekifupisha: tarakimu zinaweza kupotea.} date {Ni tarehe: huenda lahajedwali imebadilisha nambari.} space {Herufi moja ilipotea faili ilipohifadhiwa, huenda ni nafasi kati ya maelfu. Hifadhi kama “CSV UTF-8”, au andika kiasi bila hiyo.} percent {Ni asilimia.} format {Laha inaonyesha nambari nyingine kuliko iliyo kwenye seli.} other {Kiandike kwa tarakimu na nukta ya desimali, kwa mfano 1250.50.}}',
  'problem.AMOUNT_AMBIGUOUS': 'Kiasi kinaweza kusomwa kwa njia mbili',
  'problem.AMOUNT_AMBIGUOUS.more':
    '{why, select, split {Kinaweza kuwa {one}, au {other} kilichogawanywa kwenye seli mbili.} other {Kinaweza kuwa {one} au {other}. Chagua alama ya desimali.}}',
  'problem.AMOUNT_DECIMALS': 'Kiasi kina desimali nyingi kuliko sarafu inavyoruhusu',
  'problem.AMOUNT_DECIMALS.more':
    '{currency} ina {decimals, plural, one {desimali #} other {desimali #}}: punguza desimali za kiasi.',
  'problem.AMOUNT_NOT_POSITIVE': 'Kiasi ni sifuri au hasi',
  'problem.AMOUNT_TOO_SMALL': 'Kiasi kiko chini ya kiwango cha chini',
  'problem.AMOUNT_TOO_SMALL.more': 'Safu moja ipate angalau {amount} {currency}.',
  'problem.AMOUNT_TOO_LARGE': 'Kiasi kinazidi kiwango cha juu',
  'problem.AMOUNT_TOO_LARGE.more':
    '{why, select, limit {Safu moja inaweza kupata {amount} {currency} tu.} other {Kinazidi malipo yoyote: hakikisha kiko kwenye safuwima sahihi.}}',
  'problem.CURRENCY_MISSING': 'Sarafu haipo',
  'problem.CURRENCY_MISSING.more':
    '{why, select, franc {Inaweza kuwa XOF (Afrika Magharibi) au XAF (Afrika ya Kati).} other {Andika msimbo wa herufi tatu, kwa mfano {example}, au uchague kwa faili nzima.}}',
  'problem.CURRENCY_UNKNOWN': 'Hakuna sarafu kama hiyo',
  'problem.CURRENCY_CONFLICT': 'Sarafu mbili zimetajwa kwa kiasi kimoja',
  'problem.CURRENCY_CONFLICT.more': 'Sarafu ni {currency}, na kiasi kimeandikwa kwa {written}.',
  'problem.CURRENCY_OF_OTHER_COUNTRY': 'Mtandao hulipwa kwa sarafu nyingine',
  'problem.CURRENCY_OF_OTHER_COUNTRY.more': 'Hulipwa kwa {network_currency}, na kiasi ni kwa {currency}.',
  'problem.PRODUCT_INVALID': 'Hiki hakiwezi kuwa kitambulisho cha bidhaa',
  'problem.PRODUCT_UNKNOWN': 'Mtandao hauna bidhaa hiyo',
  'problem.REFERENCE_INVALID': 'Rejea haiwezi kutumika',
  'problem.REFERENCE_INVALID.more': 'Ipe safu nyingine, au acha seli tupu.',
  'problem.REFERENCE_TWICE': 'Safu zaidi ya moja zina rejea ileile',
  'problem.REFERENCE_TWICE.more': 'Mstari {other_line} wa faili pia unayo: ipe kila safu yake, au acha moja.',
  'problem.SMS_NOT_A_TEXT': 'Ujumbe ni ndiyo au hapana tu',
  'problem.SMS_NOT_A_TEXT.more': 'Seli yenyewe ingetumwa: andika ujumbe, au iache tupu.',
  'problem.SMS_TOO_LONG': 'Ujumbe ni mrefu mno',
  'problem.SMS_TOO_LONG.more': 'Una herufi {length}, na {most} zinaweza kutumwa.',
  'problem.TOTAL_LINE': 'Mstari ni jumla ya safu',
  'problem.DUPLICATE': 'Nambari ileile inapata malipo yaleyale mara mbili',
  'problem.DUPLICATE.more': 'Mstari {other_line} wa faili unalipa sawa: acha safu moja, au iruhusiwe baada ya idhini.',
  'problem.NUMBER_MAXIMUM': 'Nambari moja inapata zaidi ya kiwango cha juu',
  'problem.NUMBER_MAXIMUM.more': 'Nambari moja inaweza kupata {amount} {currency} kutoka faili moja.',
  'problem.ALREADY_PAID': 'Fungu la awali la mfululizo huu limelipa safu hii',
  'problem.ALREADY_PAID.more':
    'Katika fungu {batch}, {earlier_line, select, none {safu {row}} other {mstari {earlier_line} wa faili yake}}.',
  'problem.ALREADY_SENT': 'Fungu la awali la mfululizo huu limetuma safu hii, na haijakamilika',
  'problem.FAILED_BEFORE': 'Fungu la awali la mfululizo huu lilijaribu safu hii, na ilishindwa',
  'problem.MAY_BE_PAID': 'Safu ilishindwa awali, lakini huduma sasa inasema huenda imelipwa',
  'problem.NOT_LOOKED_UP': 'Huduma haikusema kama safu hii imeshalipwa',
  'problem.REFERENCE_REUSED': 'Fungu la awali la mfululizo huu lilitumia rejea hii kwa malipo mengine',
  'problem.SENT_LATELY': 'Fungu jingine lilituma malipo yaleyale kwa nambari hii hivi karibuni',
  'problem.SENT_LATELY.more':
    '{why, select, sent {Tarehe {day}, katika fungu {batch}, {earlier_line, select, none {safu {row}} other {mstari {earlier_line} wa faili yake}}.} lost {Tarehe {day}, kwa malipo ambayo huduma pekee inayajua.} other {Orodha ya huduma haikuweza kusomwa.}}',
  'problem.PAID_OTHERWISE':
    'Mfululizo huu tayari umetuma kwa nambari hii malipo mengine, ambayo hayamo kwenye faili hii',
  'problem.RECIPIENT_MAXIMUM': 'Kwa safu hii nambari ingepata zaidi ya kiwango cha juu cha mafungu yote',
  'problem.RECIPIENT_MAXIMUM.more':
    'Ingepata {sum} {currency} ndani ya {days, plural, one {siku #} other {siku #}}; kiwango cha juu ni {amount} {currency}.',
  'problem.SKIPPED_BY_PERSON': 'Mtu ameamua kutolipa safu hii',
};

/** Why a whole file cannot be paid, and what a person should know about one, by code. */
const reasons = {
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
    'Alama ya nukuu (") haijafungwa katika safu inayoanza kwenye mstari {line}. Irekebishe au uhifadhi jedwali tena.',
  'reason.ONE_COLUMN':
    'Jedwali lote liko katika safuwima moja. Katika lahajedwali, tumia “Text to Columns”, kisha ulihifadhi tena.',
  'reason.HEADER_LINE': 'Mstari {line} ulitajwa kuwa kichwa, lakini ni mtupu au haupo.',
  'reason.COLUMN_MISSING':
    'Hakuna safuwima iliyopatikana kwa: {fields}. Mstari wa majina ya safuwima unasema: {header}',
  'reason.COLUMN_UNCLEAR': 'Kila moja ya safuwima {columns} inaweza kuwa: {field}.',
  'reason.COLUMN_TWICE': 'Safuwima mbili zinaitwa “{column}”. Ipe kila moja jina lake.',
  'reason.COLUMN_HIDDEN':
    'Safuwima “{column}” inaweza kuwa: {field}. Imefichwa katika laha: ionyeshe na uangalie kilichomo.',
  'reason.COLUMN_UNKNOWN': 'Safuwima “{column}” ilichaguliwa kwa {field}, lakini faili haina safuwima hiyo.',
  'reason.COLUMN_NAME': 'Safuwima inaitwa “{column}”, jina lisiloruhusiwa. Ipe jina lingine.',
  'reason.COLUMN_SHARED': 'Safuwima “{column}” inasomwa kwa njia zaidi ya moja: {fields}.',
  'reason.OWN_RESULTS':
    'Haya ni matokeo ya fungu, yenye safu zilizokwisha kulipwa: si faili ya kulipa. Ili kusahihisha safu, tumia nakala ya failed.csv au failed.xlsx.',
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
    'Jumla katika mstari {line} haiwezi kulinganishwa: kiasi katika mstari {other_line} au sarafu yake haisomeki.',
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
    'Rejea zilizohifadhiwa kama tarehe zinasomwa jinsi zinavyoonyeshwa: {count}, ya kwanza katika mstari {line} (“{text}”). Lahajedwali hugeuza maandishi kama “1-24” kuwa tarehe.',
  'reason.OWN_BATCH':
    '{did, select, prepared {Wewe uliandaa fungu hili} other {Wewe uliwasilisha fungu hili}} (kwa jina {name}): mtu mwingine lazima aamue.',
  'reason.OWN_RELEASE':
    'Kwa safu hizi, fungu linahitaji idhini, na {did, select, prepared {wewe uliliandaa} other {wewe uliliwasilisha}} (kwa jina {name}): mtu mwingine lazima aziruhusu.',
  'reason.TIER_RELEASE':
    'Kwa safu hizi, fungu linahitaji idhini ya watu {approvers}. Ruhusu chache zaidi, au ziruke na uwasilishe faili tena.',
  'reason.APPROVED_ALREADY': 'Tayari umeidhinisha fungu hili (kwa jina {name}): sasa mtu mwingine lazima aliidhinishe.',
  'reason.APPROVAL_NEEDED': 'Fungu hili linahitaji idhini ya mtu mwingine.',
  'reason.NEXT_COMPARE': 'Linganisha kwa mkono, na uiulize huduma kwa kitambulisho cha malipo.',
  'reason.NEXT_AMOUNT': 'Acha kulipa kutoka akaunti hii, na uiulize huduma kwa kitambulisho cha malipo.',
  'reason.NEXT_COST': 'Iulize huduma ipi ni sahihi: huenda tozo ilisahihishwa baadaye.',
  'reason.NEXT_REFUNDED': 'Huenda mpokeaji hakupata muda wa maongezi. Ikiwa ni hivyo, mlipe tena kwa rejea mpya.',
  'reason.NEXT_DUPLICATED':
    'Huenda safu imelipwa mara mbili: acha kulipa kutoka akaunti hii, na uiombe huduma irudishe malipo moja.',
  'reason.NEXT_REFERENCE': 'Iulize huduma kwa rejea hiyo.',
  'reason.NEXT_OTHER_PROGRAM': 'Tafuta nani mwingine anatumia akaunti hii.',
  'reason.NEXT_OTHER_LEDGER':
    'Tafuta leja yenu nyingine inayolipa kutoka akaunti hii: usakinishaji wa pili, au nakala rudufu iliyorejeshwa.',
  'reason.NEXT_UNREADABLE': 'Iulize huduma ni nini, kwa kitambulisho cha malipo.',
  'reason.NEXT_EARLIER':
    'Malipo ya awali ya safu hii yalihesabiwa kuwa yameshindwa, na safu ikatumwa tena: huenda imelipwa mara mbili. Iombe huduma irudishe malipo moja.',
  'reason.NEXT_UNPAID': 'Huduma haisemi tena kwamba imelipwa: iulize kwa kitambulisho cha malipo.',
  'reason.NEXT_MAYBE_PAID': 'Huenda huduma imeilipa: usiilipe tena, na uiulize huduma kwa kitambulisho cha malipo.',
  'reason.NEXT_RESOLVE': 'Mtu ndiye anayeamua kuhusu safu {row}: ifungue.',
  'reason.NEXT_LOOK_UP':
    'Bado inaweza kubadilika. Ili kuangalia tena safu {row} sasa, ifungue, au endeleza fungu lake.',
};

/** What a slot of a job has brought, why it has not, or what it waits for, by code. */
const slots = {
  'reason.FILE_MISSING': 'Hakuna faili {file} katika {folder}.',
  'reason.FILE_FOLDER': '{file} ni folda, si faili.',
  'reason.UNREADABLE': 'Faili haikuweza kusomwa: {error}.',
  'reason.READING_ABANDONED': 'Programu ilisimama ilipokuwa inasoma faili. Wasilisha faili tena.',
  'reason.SLOT_BATCH':
    '{why, select, waits {{file} ni fungu {batch}, linalosubiri idhini. Safu za kulipa: {rows}.} other {{file} ni fungu {batch}. Safu za kulipa: {rows}.}}',
  'reason.SLOT_SAME_ROWS':
    'Safu ambazo pia zipo katika fungu {batch} la mfululizo huu: {rows}. Kila moja inalipwa mara moja.',
  'reason.SLOT_TEXTS_LOST': 'Safu ambazo ujumbe wake hautumwi, kwa sababu toleo la 1 linatuma wake: {rows}.',
  'reason.SLOT_LATE': 'Litakamilika karibu {done_at}, yaani litachelewa: lilipaswa kukamilika {due_at}.',
  'reason.SLOT_LATE_UNKNOWN': 'Linapaswa kukamilika kabla ya {due_at}; haijulikani kama litakamilika.',
  'reason.SLOT_MAKES_LATE':
    'Linachelewesha fungu {batch}: litakamilika karibu {done_at}, na lilipaswa kukamilika {due_at}.',
  'reason.SLOT_REJECTED': '{file} haikuweza kusomwa.',
  'reason.SLOT_CORRECT': 'Rekebisha faili na uiweke kwenye “inbox” kabla ya kuendesha kazi tena.',
  'reason.SLOT_NOT_ARCHIVED': '{file} haikuweza kuhamishwa: {error}.',
  'reason.SLOT_NOT_TAKEN':
    '{file} haiwezi kuingizwa: {why, select, link {ni kiungo. Weka faili yenyewe.} name {jina lake halisomeki. Ipe jina jingine.} other {{error}.}}',
  'reason.SLOT_NOT_BROUGHT': 'Faili hizi hazijaingizwa na bado zipo katika “working”: {files}.',
  'reason.SLOT_NO_FILE': 'Hakuna faili.',
  'reason.SLOT_WRITING': 'Faili hizi bado zinaandikwa: {files}.',
  'reason.SLOT_OTHER_NAMES': '“inbox” ina faili ambazo majina yake hayalingani na “{pattern}”: {files}.',
  'reason.SLOT_NOT_FILES': 'Vitu hivi vya “inbox” havilipwi, kwa sababu si faili: {files}.',
  'reason.SLOT_BEFORE': 'Faili zake ziliingizwa awali.',
  'reason.SLOT_PARTIAL':
    '{file} ilikuwa bado inaandikwa iliposomwa, na fungu {batch} lina sehemu yake tu. Weka faili nzima kwenye “inbox” na uendeshe kazi tena: kilicholipwa kinarukwa.',
  'reason.SLOT_COMMAND':
    'Amri {program} haikutoa faili: {why, select, exit {ilishindwa kwa msimbo {end}.} exit_said {ilishindwa kwa msimbo {end} na kusema “{error}”.} size {iliandika zaidi ya MiB {limit} na ilisimamishwa.} time {ilichukua zaidi ya sekunde {limit} na ilisimamishwa.} stopped {ilisimamishwa pamoja na airbatch.} other {{error}.}}',
  'reason.SLOT_FOLDER':
    'Folda {folder} haiwezi kutumika: {why, select, gone {haipo tena.} inbox {“inbox” yake haipo tena.} other {{error}.}}',
  'reason.SLOT_RECONCILED':
    'Malipo yaliyolinganishwa: {count}. {why, select, agrees {Kila kitu kinalingana.} no_wallets {Leja na huduma zinalingana; pochi hazikulinganishwa.} open {Baadhi yanahitaji mtu kuyaangalia.} other {Pochi hazilingani.}} Ripoti: {folder}',
  'reason.SLOT_BACKUP':
    'Nakala rudufu {file} imetengenezwa; nakala za zamani zilizofutwa: {count}. {why, select, made {Haikujaribiwa.} good {Inaweza kurejeshwa.} other {Leja iliyomo hailingani na minyororo yake ya ukaguzi.}}',
  'reason.SLOT_MISSED':
    'Ilikosa wakati wake kwa sababu hakuna programu iliyokuwa ikiendeshwa, na haikuendeshwa baadaye.',
  'reason.SLOT_STOPPED': 'Ilisimamishwa pamoja na airbatch, na itaendelea itakapoanza tena.',
  'reason.SLOT_RETRIED':
    '{minutes, plural, one {Ilijaribiwa tena kwa dakika #.} other {Ilijaribiwa tena kwa dakika #.}}',
  'reason.SLOT_TROUBLE':
    '{code, select, ACCOUNT_BUSY {Programu nyingine inafanya kazi kwa akaunti hii.} CREDENTIALS_REJECTED {Huduma inakataa vitambulisho vya akaunti.} FENCED {Mchakato mwingine umechukua nafasi.} LEDGER_BUSY {Programu nyingine inatumia leja.} LEDGER_FULL {Diski ya leja imejaa.} LEDGER_IO {Leja haikuweza kuandikwa.} SERVICE_UNREACHABLE {Huduma haijibu.} other {{error}}}',
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
