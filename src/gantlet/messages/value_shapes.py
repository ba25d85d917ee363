"""How values of the usual shapes are filled. Written by `make schemas`; see `value`."""

# mypy: ignore-errors


def frozen_a(self, arg0):
    set0(self, arg0)
    return


def frozen_aa(self, arg0, arg1):
    set0(self, arg0)
    set1(self, arg1)
    return


def frozen_aaa(self, arg0, arg1, arg2):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    return


def frozen_aaaa(self, arg0, arg1, arg2, arg3):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    return


def frozen_aaaaa(self, arg0, arg1, arg2, arg3, arg4):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    return


def frozen_aaaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    set5(self, arg5)
    return


def frozen_aaaaaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    set5(self, arg5)
    set6(self, arg6)
    set7(self, arg7)
    return


def frozen_aaaf(self, arg0, arg1, arg2, arg3):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, made3() if arg3 is missing else arg3)
    return


def frozen_aaaaf(self, arg0, arg1, arg2, arg3, arg4):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, made4() if arg4 is missing else arg4)
    return


def frozen_aaafaaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, made3() if arg3 is missing else arg3)
    set4(self, arg4)
    set5(self, arg5)
    set6(self, arg6)
    return


def frozen_aaaaafaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    set5(self, made5() if arg5 is missing else arg5)
    set6(self, arg6)
    set7(self, arg7)
    return


def frozen_aaaaaaaf(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    set5(self, arg5)
    set6(self, arg6)
    set7(self, made7() if arg7 is missing else arg7)
    return


def frozen_amm(self, arg0):
    set0(self, arg0)
    set1(self, made1())
    set2(self, made2())
    return


def frozen_aaaaaffaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    set5(self, made5() if arg5 is missing else arg5)
    set6(self, made6() if arg6 is missing else arg6)
    set7(self, arg7)
    set8(self, arg8)
    set9(self, arg9)
    set10(self, arg10)
    return


def frozen_aa_more(self, arg0, arg1):
    set0(self, arg0)
    set1(self, arg1)
    self.__post_init__()


def frozen_aaaa_more(self, arg0, arg1, arg2, arg3):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    self.__post_init__()


def frozen_aaaaa_more(self, arg0, arg1, arg2, arg3, arg4):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, arg2)
    set3(self, arg3)
    set4(self, arg4)
    self.__post_init__()


def frozen_aafffaaaaaaaaaaaaa_more(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11, arg12, arg13, arg14, arg15, arg16, arg17):
    set0(self, arg0)
    set1(self, arg1)
    set2(self, made2() if arg2 is missing else arg2)
    set3(self, made3() if arg3 is missing else arg3)
    set4(self, made4() if arg4 is missing else arg4)
    set5(self, arg5)
    set6(self, arg6)
    set7(self, arg7)
    set8(self, arg8)
    set9(self, arg9)
    set10(self, arg10)
    set11(self, arg11)
    set12(self, arg12)
    set13(self, arg13)
    set14(self, arg14)
    set15(self, arg15)
    set16(self, arg16)
    set17(self, arg17)
    self.__post_init__()


def open_aa(self, arg0, arg1):
    self.field0 = arg0
    self.field1 = arg1
    return


def open_aaa(self, arg0, arg1, arg2):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    return


def open_aaaa(self, arg0, arg1, arg2, arg3):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    return


def open_aaaaa(self, arg0, arg1, arg2, arg3, arg4):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    return


def open_aaaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    self.field5 = arg5
    return


def open_aaaaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    self.field5 = arg5
    self.field6 = arg6
    return


def open_aaaaaaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    self.field5 = arg5
    self.field6 = arg6
    self.field7 = arg7
    self.field8 = arg8
    return


def open_ff(self, arg0, arg1):
    self.field0 = made0() if arg0 is missing else arg0
    self.field1 = made1() if arg1 is missing else arg1
    return


def open_fff(self, arg0, arg1, arg2):
    self.field0 = made0() if arg0 is missing else arg0
    self.field1 = made1() if arg1 is missing else arg1
    self.field2 = made2() if arg2 is missing else arg2
    return


def open_ffffffff(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7):
    self.field0 = made0() if arg0 is missing else arg0
    self.field1 = made1() if arg1 is missing else arg1
    self.field2 = made2() if arg2 is missing else arg2
    self.field3 = made3() if arg3 is missing else arg3
    self.field4 = made4() if arg4 is missing else arg4
    self.field5 = made5() if arg5 is missing else arg5
    self.field6 = made6() if arg6 is missing else arg6
    self.field7 = made7() if arg7 is missing else arg7
    return


def open_aaaaaafaaaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    self.field5 = arg5
    self.field6 = made6() if arg6 is missing else arg6
    self.field7 = arg7
    self.field8 = arg8
    self.field9 = arg9
    self.field10 = arg10
    return


def open_aaafaafaaafff(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11, arg12):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = made3() if arg3 is missing else arg3
    self.field4 = arg4
    self.field5 = arg5
    self.field6 = made6() if arg6 is missing else arg6
    self.field7 = arg7
    self.field8 = arg8
    self.field9 = arg9
    self.field10 = made10() if arg10 is missing else arg10
    self.field11 = made11() if arg11 is missing else arg11
    self.field12 = made12() if arg12 is missing else arg12
    return


def open_aaaaaaaaaaaafaa(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11, arg12, arg13, arg14):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    self.field5 = arg5
    self.field6 = arg6
    self.field7 = arg7
    self.field8 = arg8
    self.field9 = arg9
    self.field10 = arg10
    self.field11 = arg11
    self.field12 = made12() if arg12 is missing else arg12
    self.field13 = arg13
    self.field14 = arg14
    return


def open_aaaaaaaafaaaaf(self, arg0, arg1, arg2, arg3, arg4, arg5, arg6, arg7, arg8, arg9, arg10, arg11, arg12, arg13):
    self.field0 = arg0
    self.field1 = arg1
    self.field2 = arg2
    self.field3 = arg3
    self.field4 = arg4
    self.field5 = arg5
    self.field6 = arg6
    self.field7 = arg7
    self.field8 = made8() if arg8 is missing else arg8
    self.field9 = arg9
    self.field10 = arg10
    self.field11 = arg11
    self.field12 = arg12
    self.field13 = made13() if arg13 is missing else arg13
    return


def open_af_more(self, arg0, arg1):
    self.field0 = arg0
    self.field1 = made1() if arg1 is missing else arg1
    self.__post_init__()


SHAPES = {
    ("a", True, False): frozen_a.__code__,
    ("aa", True, False): frozen_aa.__code__,
    ("aaa", True, False): frozen_aaa.__code__,
    ("aaaa", True, False): frozen_aaaa.__code__,
    ("aaaaa", True, False): frozen_aaaaa.__code__,
    ("aaaaaa", True, False): frozen_aaaaaa.__code__,
    ("aaaaaaaa", True, False): frozen_aaaaaaaa.__code__,
    ("aaaf", True, False): frozen_aaaf.__code__,
    ("aaaaf", True, False): frozen_aaaaf.__code__,
    ("aaafaaa", True, False): frozen_aaafaaa.__code__,
    ("aaaaafaa", True, False): frozen_aaaaafaa.__code__,
    ("aaaaaaaf", True, False): frozen_aaaaaaaf.__code__,
    ("amm", True, False): frozen_amm.__code__,
    ("aaaaaffaaaa", True, False): frozen_aaaaaffaaaa.__code__,
    ("aa", True, True): frozen_aa_more.__code__,
    ("aaaa", True, True): frozen_aaaa_more.__code__,
    ("aaaaa", True, True): frozen_aaaaa_more.__code__,
    ("aafffaaaaaaaaaaaaa", True, True): frozen_aafffaaaaaaaaaaaaa_more.__code__,
    ("aa", False, False): open_aa.__code__,
    ("aaa", False, False): open_aaa.__code__,
    ("aaaa", False, False): open_aaaa.__code__,
    ("aaaaa", False, False): open_aaaaa.__code__,
    ("aaaaaa", False, False): open_aaaaaa.__code__,
    ("aaaaaaa", False, False): open_aaaaaaa.__code__,
    ("aaaaaaaaa", False, False): open_aaaaaaaaa.__code__,
    ("ff", False, False): open_ff.__code__,
    ("fff", False, False): open_fff.__code__,
    ("ffffffff", False, False): open_ffffffff.__code__,
    ("aaaaaafaaaa", False, False): open_aaaaaafaaaa.__code__,
    ("aaafaafaaafff", False, False): open_aaafaafaaafff.__code__,
    ("aaaaaaaaaaaafaa", False, False): open_aaaaaaaaaaaafaa.__code__,
    ("aaaaaaaafaaaaf", False, False): open_aaaaaaaafaaaaf.__code__,
    ("af", False, True): open_af_more.__code__,
}
