/* The words of titles that programs put into files by themselves, in lower case. */

const words = (list: string): ReadonlySet<string> => new Set(list.trim().split(/\s+/));
const phrases = (list: string): ReadonlySet<string> =>
  new Set(list.split('|').map((phrase) => phrase.trim()));

/** Names of programs, as in `Microsoft Word Document` and `Presentazione standard di PowerPoint`. */
export const PROGRAMS = words(
  `microsoft office word excel powerpoint powerpointi powerpointova libreoffice openoffice openofficeorg writer calc impress
  keynote wps`,
);

/** Words for a kind of document, which come once in such a title. */
export const KINDS = words(
  `document documento documentul dokument dokumentum dokumentas dokumentti belge belgesi документ έγγραφο מסמך เอกสาร 文档 文書 문서
  presentation présentation presentación präsentation apresentação presentazione presentatie presentació prezentacja prezentace
  prezentácia prezentacija prezentācija prezentare pateiktis predstavitev præsentation presentasjon esitys esitlus bemutató
  sunu sunusu presentasi aurkezpena презентация презентація презентацыя παρουσίαση מצגת งานนำเสนอ प्रस्तुति
  演示文稿 簡報 プレゼンテーション 프레젠테이션
  workbook worksheet spreadsheet sheet chart arbeitsmappe arbeitsblatt tabelle classeur feuille libro hoja cartella foglio
  planilha pasta werkmap werkblad skoroszyt arkusz книга лист 工作簿 工作表 活頁簿 ブック ワークシート`,
);

/** Words that come with them. */
export const FILLERS = words(
  `new neue neues nouveau nouvelle nuevo nueva nuovo nuova novo nova nieuw nieuwe nowy nowa novy новый новая 新建 新規 새
  standard di de del do da du na του של programu aplikace aplikácie`,
);

/** Titles of files without one. They can have a number: `Untitled-3`, `Book1`. */
export const PLACEHOLDERS = phrases(
  `untitled|untitled document|untitled presentation|untitled spreadsheet|untitled page|untitled form|untitled design
  |untitled drawing|untitled notebook|untitled note|untitled layout|untitled report|untitled file|untitled project
  |no title|no name|no slide title|unknown|unknown title|unnamed|anonymous|none|null|undefined|n a
  |title|your title|your title here|document title|presentation title|page title|click to add title|click to edit master title style
  |slide title|folientitel|titre de la diapositive|título de la diapositiva|título do slide|titolo diapositiva|diatitel
  |office theme|insert title here|title of presentation|title of document|titel|titre|título|titolo|tytuł|заголовок|标题|標題|タイトル
  |document|dokument|documento|документ|文档|文書|문서|word document|my document|empty document|blank document
  |presentation|présentation|presentación|präsentation|apresentação|presentazione|presentatie|prezentacja|презентация
  |презентація|演示文稿|簡報|プレゼンテーション|프레젠테이션|my presentation|blank presentation|sunu
  |book|workbook|sheet|spreadsheet|mappe|arbeitsmappe|tabelle|classeur|feuille|feuil|libro|hoja|cartel|foglio|pasta|planilha
  |map|blad|zeszyt|arkusz|книга|лист|工作簿|工作表|活頁簿|ブック|통합 문서|시트
  |new document|new presentation|new spreadsheet|new workbook|new worksheet|new page|new tab|new note
  |neues dokument|neue präsentation|neue seite|nouveau document|nouvelle présentation|nouvelle page
  |nuevo documento|nueva presentación|nuovo documento|nuova presentazione|novo documento|nova apresentação
  |nieuw document|nieuwe presentatie|nowy dokument|nowa prezentacja|новый документ|новая презентация
  |新建文档|新建演示文稿|新規ドキュメント|新規プレゼンテーション|新しいプレゼンテーション|새 문서|새 프레젠테이션
  |unbenannt|unbenanntes dokument|unbenannte präsentation|ohne titel|ohne namen|kein titel|kein folientitel
  |sans titre|sans nom|document sans titre|présentation sans titre|pas de titre de diapositive
  |sin título|sin nombre|documento sin título|presentación sin título|sin título de diapositiva
  |senza titolo|senza nome|documento senza titolo|presentazione senza titolo|nessun titolo diapositiva
  |presentazione standard|sem título|sem nome|documento sem título|apresentação sem título|sem título de slide
  |naamloos|naamloos document|naamloze presentatie|zonder titel|geen diatitel|bez tytułu|bez nazwy|dokument bez tytułu
  |bez názvu|nepojmenovaný|bez naslova|namnlös|namnlöst dokument|namnlös presentation|ingen bildrubrik
  |uden titel|uden navn|ikke navngivet|uten navn|uten tittel|nimetön|otsikoton|névtelen|cím nélkül|fără titlu
  |adsız|isimsiz|başlıksız|adsız belge|tanpa judul|không có tiêu đề|без имени|без названия|безымянный|без назви
  |без імені|χωρίς τίτλο|ללא כותרת|ללא שם|بدون عنوان|ไม่มีชื่อ
  |无标题|无标题文档|无标题演示文稿|未命名|未命名文档|未命名文件|無標題|無標題文件|無標題簡報
  |無題|無題のドキュメント|無題のプレゼンテーション|名称未設定|제목 없음|제목 없는 문서|제목 없는 프레젠테이션|이름 없음
  |bản trình bày powerpoint|عرض تقديمي في powerpoint|عرض تقديمي|about blank|react app|vite app`,
);

/** Words that are the title of a program only with a number: `Slide 1`. */
export const NUMBERED = phrases(
  `slide|folie|diapositive|diapositiva|diapositivo|dia|dias nummer|bild|lysbilde|slajd|snímek|snímka|slayt|слайд|διαφάνεια|שקופית
  |شريحة|الشريحة|สไลด์|trang chiếu|幻灯片|投影片|スライド|슬라이드
  |page|seite|página|pagina|strona|layout|drawing|zeichnung|dessin|doc|file|datei|tmp|temp`,
);
