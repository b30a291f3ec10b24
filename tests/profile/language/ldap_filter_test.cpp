// SPDX-License-Identifier: MIT
#include "profile/language/ldap_filter.h"

#include <fmt/core.h>

#include "tests/profile/make.h"

using namespace beckon;
using namespace beckon::profile;
using test::canonical_of;
using test::problem;

TEST_SUITE("profile/ldap_filter") {
  TEST_CASE("a filter means the same as its friendly spelling") {
    CHECK(canonical_of("(hobby=chess)") == "hobby=chess");
    CHECK(canonical_of("(&(hobby=chess)(age>=20)(age<=30))") ==
          "age=1..30&age=20..120&hobby=chess");
    CHECK(canonical_of("(&(hobby=chess)(age=20..30))") == "age=20..30&hobby=chess");
    CHECK(canonical_of("(name=ali*)") == "name~=ali");
    CHECK(canonical_of("(&(age=20)(name=al*))") == "age=20&name~=al");
    CHECK(canonical_of("(&(age=20)(sip=*))") == "age=20&has=sip");
    CHECK(canonical_of("(hours:=9..17)") == "hours:=9..17");
    CHECK(canonical_of(" ( & (CN=Alice Lin) ( L=Taipei ) ) ") == "city=taipei&name=\"alice lin\"");
    CHECK(canonical_of("(hobby=a\\28b\\29\\2a)") == "hobby=a(b)*");
    CHECK(canonical_of("(hobby=\\2A\\2f\\2F)") == "hobby=*//");
    CHECK(canonical_of("(hobby=a\\09b)") == "hobby=\"a b\"");
    CHECK(canonical_of("(room=EC-*)") == "room=ec-*");
    CHECK(canonical_of("(near=25.05,121.53,5km)") == "near=25.05,121.53,5km");
    CHECK(canonical_of("(hobby=chess,go)") == "hobby=\"chess,go\"");
  }

  TEST_CASE("AND, OR and NOT become a few plain branches") {
    CHECK(canonical_of("(|(hobby=chess)(city=taipei))") == "city=taipei|hobby=chess");
    CHECK(canonical_of("(&(age=20)(|(hobby=chess)(hobby=go)))") ==
          "age=20&hobby=chess|age=20&hobby=go");
    CHECK(canonical_of("(&(age=20)(!(hobby=chess)))") == "age=20&hobby!=chess");
    CHECK(canonical_of("(&(age=20)(!(|(hobby=chess)(sip=*))))") == "!has=sip&age=20&hobby!=chess");
    CHECK(canonical_of("(&(age=20)(!(&(hobby=chess)(city=taipei))))") ==
          "age=20&city!=taipei|age=20&hobby!=chess");
    CHECK(canonical_of("(!(!(age=20)))") == "age=20");
  }

  TEST_CASE("a filter that would spread too far is refused with a reason") {
    std::string filter = "(&";
    for (int i = 0; i < 5; ++i)
      filter += "(|(age=" + std::to_string(20 + i) + ")(hobby=h" + std::to_string(i) + "))";
    CHECK(problem(filter + ")").find("more than 16") != std::string::npos);
    std::string nested = "(&(age=20)";
    for (int i = 0; i < 100; ++i) nested += "(&(age=20)";
    CHECK(problem(nested).find("deeper") != std::string::npos);
  }

  TEST_CASE("what RFC 4515 allows and we cannot do is refused, and so is what is no filter") {
    CHECK(problem("(name=*li*)").find("only the start") != std::string::npos);
    CHECK(problem("(name=a*b)").find("only the start") != std::string::npos);
    CHECK(problem("(name:dn:2.4.6:=x)").find("not known") != std::string::npos);
    CHECK(problem("(hobby>=chess)").find("compares numbers") != std::string::npos);
    CHECK(problem("(hobby=chess").find("')' is missing") != std::string::npos);
    CHECK(problem("(hobby=chess))").find("has ended before") != std::string::npos);
    CHECK(problem("(hobby=a(b)").find("\\28") != std::string::npos);
    CHECK(problem("(hobby=a\\2)").find("hex digits") != std::string::npos);
    for (std::string_view c : {"G", "g", "/", ":", "@", "`"}) {
      CAPTURE(c);
      CHECK(problem(fmt::format("(hobby=a\\2{}b)", c)).find("hex digits") != std::string::npos);
      CHECK(problem(fmt::format("(hobby=a\\{}2b)", c)).find("hex digits") != std::string::npos);
    }
    CHECK(problem("(&)").find("missing after") != std::string::npos);
    CHECK(problem("()").find("attribute is missing") != std::string::npos);
    CHECK(problem("(hobby)").find("value is missing") != std::string::npos);
    CHECK(problem("(hobbby=chess)").find("Close: hobby") != std::string::npos);
    CHECK(problem("(!(hobby=chess))").find("ordinary term") != std::string::npos);
    CHECK(problem("(!(age=20)(age=30))").find("one filter") != std::string::npos);
    CHECK(problem("(hobby=\\ff)").find("UTF-8") != std::string::npos);
  }
}
